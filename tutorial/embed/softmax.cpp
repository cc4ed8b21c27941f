/* SPDX-License-Identifier: MIT */
/*
 * The same in C++, with handles that close themselves and one call without a
 * bind:
 *
 *	c++ softmax.cpp $(pkg-config --cflags --libs kvaot) -o softmax
 */
#include <kvaot.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

struct Close {
	void operator()(kvaotLib *lib) const { kvaotClose(lib); }
};
using Library = std::unique_ptr<kvaotLib, Close>;

/* Gives err to a function of the API and throws what it says. */
template <typename F>
void
must(F call)
{
	char err[512];

	if (call(err, sizeof(err)) != KVAOT_OK)
		throw std::runtime_error(err);
}

Library
open(const char *path)
{
	kvaotLib *lib = nullptr;

	must([&](char *err, uint32_t cap) {
		return kvaotOpen(path, nullptr, &lib, err, cap);
	});
	return Library(lib);
}

template <typename T>
kvaotTensor
tensor(int32_t dtype, std::vector<T> &body, std::vector<int64_t> dims)
{
	kvaotTensor t = {};

	t.size = sizeof(t);
	t.dtype = dtype;
	t.rank = static_cast<int32_t>(dims.size());
	for (size_t i = 0; i < dims.size(); i++)
		t.dim[i] = dims[i];
	t.data = body.data();
	return t;
}

void
run(const char *path)
{
	std::vector<float> x = { 1, 2, 3, 0, 0, 0 }, y(6);
	std::vector<int64_t> axis = { -1 };
	kvaotTensor in[] = { tensor(KVAOT_FLOAT32, x, { 2, 3 }),
		tensor(KVAOT_INT64, axis, {}) };
	kvaotTensor out = tensor(KVAOT_FLOAT32, y, { 2, 3 });
	Library lib = open(path);
	const kvaotFn *softmax = nullptr;

	must([&](char *err, uint32_t cap) {
		return kvaotFind(lib.get(), "deepx·softmax", &softmax, err,
		    cap);
	});
	must([&](char *err, uint32_t cap) {
		return kvaotCall(softmax, in, 2, &out, 1, err, cap);
	});
	for (int i = 0; i < 6; i++)
		std::printf("%.4f%c", y[i], i % 3 == 2 ? '\n' : ' ');
}

}

int
main(int argc, char **argv)
{
	try {
		run(argc > 1 ? argv[1] : nullptr);
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
		return 1;
	}
}
