/* SPDX-License-Identifier: MIT */
#include "cache/elf.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/fatal.h"
#define KVK_NO_STDINT
#include "include/kvk.h"

enum { MAX_HEADERS = 64 };

/* Copies of the headers, because the bytes have no alignment. dyn holds the
 * dynamic entries by tag, for tags below N_DYN; has has the bits of those
 * present. */
enum { N_DYN = 32 };

struct elf {
	const unsigned char *p;
	size_t n;
	const char *name;
	struct diag *diag;
	Elf64_Ehdr head;
	Elf64_Phdr seg[MAX_HEADERS];
	Elf64_Shdr sec[MAX_HEADERS];
	size_t nseg, nsec;
	uint64_t dyn[N_DYN], has;
	uint64_t gnu_hash;
	const char *strtab;
	uint64_t strsz;
	const unsigned char *symtab;
	size_t nsym;
};

/* The first reason is enough: what follows a broken header means little. */
#define REFUSE(e, ...)                                                        \
	diag_error((e)->diag, (struct loc){ (e)->name, 0, 0 },                \
	    "refused object: " __VA_ARGS__)

static bool
in_bounds(uint64_t off, uint64_t size, uint64_t limit)
{
	return off <= limit && size <= limit - off;
}

static int
read_head(struct elf *e)
{
	static const unsigned char zero[EI_NIDENT];
	Elf64_Ehdr *h = &e->head;

	if (e->n < sizeof(*h))
		return REFUSE(e, "%zu bytes are too few for ELF", e->n);
	memcpy(h, e->p, sizeof(*h));
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_ident[EI_VERSION] != EV_CURRENT ||
	    h->e_ident[EI_OSABI] != ELFOSABI_NONE || h->e_version != EV_CURRENT)
		return REFUSE(e, "expected a 64-bit little-endian ELF file");
	if (h->e_type != ET_DYN || h->e_machine != EM_X86_64)
		return REFUSE(e, "expected a shared object for x86-64");
	if (h->e_ehsize != sizeof(*h) || h->e_entry != 0 || h->e_flags != 0 ||
	    h->e_shstrndx >= h->e_shnum ||
	    memcmp(h->e_ident + EI_ABIVERSION, zero,
		EI_NIDENT - EI_ABIVERSION) != 0)
		return REFUSE(e, "unexpected ELF header");
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 ||
	    h->e_phnum > MAX_HEADERS ||
	    !in_bounds(h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr), e->n))
		return REFUSE(e, "program headers are out of bounds");
	if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 ||
	    h->e_shnum > MAX_HEADERS ||
	    !in_bounds(h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr), e->n))
		return REFUSE(e, "section headers are out of bounds");
	e->nseg = h->e_phnum;
	e->nsec = h->e_shnum;
	memcpy(e->seg, e->p + h->e_phoff, e->nseg * sizeof(Elf64_Phdr));
	memcpy(e->sec, e->p + h->e_shoff, e->nsec * sizeof(Elf64_Shdr));
	return 0;
}

/* The file bytes of an address range inside one loaded segment, or NULL. */
static const unsigned char *
at_addr(const struct elf *e, uint64_t addr, uint64_t size)
{
	const Elf64_Phdr *s;
	size_t i;

	for (i = 0; i < e->nseg; i++) {
		s = &e->seg[i];
		if (s->p_type == PT_LOAD && addr >= s->p_vaddr &&
		    in_bounds(addr - s->p_vaddr, size, s->p_filesz))
			return e->p + s->p_offset + (addr - s->p_vaddr);
	}
	return NULL;
}

/* Whether memory of a loaded segment with all these flags holds the range. */
static bool
in_memory(const struct elf *e, uint64_t addr, uint64_t size, uint32_t flags)
{
	const Elf64_Phdr *s;
	size_t i;

	for (i = 0; i < e->nseg; i++) {
		s = &e->seg[i];
		if (s->p_type == PT_LOAD && (s->p_flags & flags) == flags &&
		    addr >= s->p_vaddr &&
		    in_bounds(addr - s->p_vaddr, size, s->p_memsz))
			return true;
	}
	return false;
}

static int
check_load(struct elf *e, const Elf64_Phdr *s, uint64_t *end)
{
	const uint32_t wx = PF_W | PF_X;

	if ((s->p_flags & wx) == wx)
		return REFUSE(e, "a segment is writable and executable");
	if (s->p_vaddr < *end || s->p_vaddr >= UINT32_MAX ||
	    s->p_memsz >= UINT32_MAX || s->p_filesz > s->p_memsz)
		return REFUSE(e, "segments overlap or are too large");
	if (s->p_align < 4096 || (s->p_align & (s->p_align - 1)) != 0 ||
	    (s->p_vaddr - s->p_offset) % s->p_align != 0)
		return REFUSE(e, "a segment is not aligned to pages");
	if (s->p_flags & ~(uint32_t)(PF_R | PF_W | PF_X))
		return REFUSE(e, "unknown segment flags");
	*end = s->p_vaddr + s->p_memsz;
	return 0;
}

/* Its end is that of the page where the data ends, at most. */
static int
check_relro(struct elf *e, const Elf64_Phdr *relro)
{
	const Elf64_Phdr *s;
	size_t i;

	for (i = 0; i < e->nseg; i++) {
		s = &e->seg[i];
		if (s->p_type == PT_LOAD && (s->p_flags & PF_W) &&
		    relro->p_vaddr >= s->p_vaddr &&
		    in_bounds(relro->p_vaddr - s->p_vaddr, relro->p_memsz,
			((s->p_vaddr + s->p_memsz + 4095) & ~4095ull) -
			    s->p_vaddr))
			return 0;
	}
	return REFUSE(e, "relro lies outside the data");
}

static int
check_segment(struct elf *e, const Elf64_Phdr *s, uint64_t *end, int *seen)
{
	if (!in_bounds(s->p_offset, s->p_filesz, e->n))
		return REFUSE(e, "a segment is out of bounds");
	switch (s->p_type) {
	case PT_LOAD:
		return check_load(e, s, end);
	case PT_DYNAMIC:
		*seen += 1;
		return 0;
	case PT_GNU_STACK:
		*seen += 16;
		if (s->p_flags & PF_X)
			return REFUSE(e, "it asks for an executable stack");
		return 0;
	case PT_GNU_RELRO:
		return check_relro(e, s);
	case PT_TLS:
		return REFUSE(e, "it has thread-local storage");
	case PT_NULL:
	case PT_NOTE:
	case PT_GNU_PROPERTY:
	case PT_GNU_EH_FRAME:
		return 0;
	default:
		return REFUSE(e, "unexpected program header type 0x%" PRIx32,
		    s->p_type);
	}
}

static int
check_segments(struct elf *e)
{
	uint64_t end = 0;
	int seen = 0;
	size_t i;

	for (i = 0; i < e->nseg; i++) {
		if (check_segment(e, &e->seg[i], &end, &seen))
			return -1;
	}
	if (seen != 1 + 16)
		return REFUSE(e, "expected one dynamic and one stack header");
	return 0;
}

static int
check_section(struct elf *e, const Elf64_Shdr *s)
{
	bool x = s->sh_flags & SHF_EXECINSTR;

	if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
	    !in_bounds(s->sh_offset, s->sh_size, e->n))
		return REFUSE(e, "a section is out of bounds");
	if (s->sh_flags & SHF_TLS)
		return REFUSE(e, "it has thread-local storage");
	if (x && (s->sh_flags & SHF_WRITE))
		return REFUSE(e, "a section is writable and executable");
	if (x && (s->sh_type != SHT_PROGBITS ||
		     at_addr(e, s->sh_addr, s->sh_size) !=
			 e->p + s->sh_offset))
		return REFUSE(e, "a code section lies outside its segment");
	switch (s->sh_type) {
	case SHT_SYMTAB:
		return REFUSE(e, "it has a symbol table; link it with -s");
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY:
		return REFUSE(e, "it has a constructor or destructor");
	default:
		return 0;
	}
}

/* Bytes of an executable segment that no code section covers must be zero, so
 * that a scan of the sections sees all instructions. */
static int
check_covered(struct elf *e, const Elf64_Phdr *seg)
{
	const Elf64_Shdr *s;
	uint64_t at;
	size_t i;

	for (at = seg->p_offset; at < seg->p_offset + seg->p_filesz; at++) {
		for (i = 0; i < e->nsec; i++) {
			s = &e->sec[i];
			if ((s->sh_flags & SHF_EXECINSTR) &&
			    at >= s->sh_offset &&
			    at - s->sh_offset < s->sh_size)
				break;
		}
		if (i < e->nsec)
			at = e->sec[i].sh_offset + e->sec[i].sh_size - 1;
		else if (e->p[at])
			return REFUSE(e, "code outside code sections");
	}
	return 0;
}

static int
check_sections(struct elf *e)
{
	uint64_t end = e->head.e_shoff + e->nsec * sizeof(Elf64_Shdr);
	size_t i;

	for (i = 0; i < e->nsec; i++) {
		if (check_section(e, &e->sec[i]))
			return -1;
	}
	for (i = 0; i < e->nseg; i++) {
		if (e->seg[i].p_type == PT_LOAD &&
		    (e->seg[i].p_flags & PF_X) &&
		    check_covered(e, &e->seg[i]))
			return -1;
	}
	if (end != e->n)
		return REFUSE(e, "bytes follow the section headers");
	return 0;
}

static const struct tag {
	uint64_t tag;
	const char *what;
} bad_tags[] = {
	{ DT_NEEDED, "it needs another object (DT_NEEDED)" },
	{ DT_RPATH, "it has a search path (DT_RPATH)" },
	{ DT_RUNPATH, "it has a search path (DT_RUNPATH)" },
	{ DT_INIT, "it has a constructor (DT_INIT)" },
	{ DT_FINI, "it has a destructor (DT_FINI)" },
	{ DT_INIT_ARRAY, "it has a constructor (DT_INIT_ARRAY)" },
	{ DT_FINI_ARRAY, "it has a destructor (DT_FINI_ARRAY)" },
	{ DT_PREINIT_ARRAY, "it has a constructor (DT_PREINIT_ARRAY)" },
	{ DT_TEXTREL, "it relocates code (DT_TEXTREL)" },
};

static int
check_tag(struct elf *e, const Elf64_Dyn *d)
{
	/* What ld writes for a plain object; anything else is refused. */
	const uint64_t known = 1u << DT_PLTRELSZ | 1u << DT_PLTGOT |
	    1u << DT_HASH | 1u << DT_STRTAB | 1u << DT_SYMTAB | 1u << DT_RELA |
	    1u << DT_RELASZ | 1u << DT_RELAENT | 1u << DT_STRSZ |
	    1u << DT_SYMENT | 1u << DT_PLTREL | 1u << DT_JMPREL |
	    1u << DT_FLAGS;
	uint64_t tag = (uint64_t)d->d_tag;
	size_t i;

	for (i = 0; i < sizeof(bad_tags) / sizeof(bad_tags[0]); i++) {
		if (tag == bad_tags[i].tag)
			return REFUSE(e, "%s", bad_tags[i].what);
	}
	if (tag == DT_GNU_HASH) {
		e->gnu_hash = d->d_un.d_ptr;
		return 0;
	}
	if (tag == DT_RELACOUNT)
		return 0;
	if (tag == DT_FLAGS_1 && d->d_un.d_val == DF_1_NOW)
		return 0;
	if (tag >= N_DYN || !(known >> tag & 1) || (e->has >> tag & 1))
		return REFUSE(e, "unexpected dynamic entry 0x%" PRIx64, tag);
	if (tag == DT_FLAGS && d->d_un.d_val != DF_BIND_NOW)
		return REFUSE(e, "unexpected dynamic flags 0x%" PRIx64,
		    (uint64_t)d->d_un.d_val);
	e->has |= (uint64_t)1 << tag;
	e->dyn[tag] = d->d_un.d_val;
	return 0;
}

static int
check_dynamic(struct elf *e)
{
	const Elf64_Phdr *s = e->seg;
	const unsigned char *p;
	Elf64_Dyn d = { .d_tag = DT_DEBUG };
	uint64_t i;

	while (s->p_type != PT_DYNAMIC)
		s++;
	p = at_addr(e, s->p_vaddr, s->p_filesz);
	if (p != e->p + s->p_offset)
		return REFUSE(e, "its dynamic section is not loaded");
	for (i = 0; i < s->p_filesz / sizeof(d); i++) {
		memcpy(&d, p + i * sizeof(d), sizeof(d));
		if (d.d_tag == DT_NULL)
			return 0;
		if (check_tag(e, &d))
			return -1;
	}
	return REFUSE(e, "its dynamic section has no end");
}

/* The number of symbols is stated only by the section header. */
static int
find_symbols(struct elf *e)
{
	const Elf64_Shdr *s;
	size_t i;

	e->strsz = e->dyn[DT_STRSZ];
	e->strtab = (const char *)at_addr(e, e->dyn[DT_STRTAB], e->strsz);
	if (!e->strtab || e->strsz == 0 || e->strtab[e->strsz - 1] != '\0')
		return REFUSE(e, "its names are out of bounds");
	for (i = 0; i < e->nsec; i++) {
		s = &e->sec[i];
		if (s->sh_type != SHT_DYNSYM)
			continue;
		e->nsym = s->sh_size / sizeof(Elf64_Sym);
		e->symtab = at_addr(e, s->sh_addr, s->sh_size);
		if (s->sh_addr == e->dyn[DT_SYMTAB] && e->symtab &&
		    e->dyn[DT_SYMENT] == sizeof(Elf64_Sym) &&
		    s->sh_size % sizeof(Elf64_Sym) == 0 && e->nsym > 1)
			return 0;
	}
	return REFUSE(e, "its symbols are out of bounds");
}

static int
check_undefined(struct elf *e, const Elf64_Sym *y, const char *name)
{
	if (ELF64_ST_BIND(y->st_info) == STB_GLOBAL &&
	    ELF64_ST_TYPE(y->st_info) == STT_NOTYPE &&
	    (strcmp(name, "memcpy") == 0 || strcmp(name, "memset") == 0 ||
		strcmp(name, "memmove") == 0))
		return 0;
	return REFUSE(e,
	    "it needs '%.80s'; a kernel may need only memcpy, memset and "
	    "memmove",
	    name);
}

static int
check_symbol(struct elf *e, const Elf64_Sym *y, int *tables)
{
	const char *name;

	if (y->st_name >= e->strsz)
		return REFUSE(e, "a name is out of bounds");
	name = e->strtab + y->st_name;
	if (y->st_shndx == SHN_UNDEF)
		return check_undefined(e, y, name);
	if (strcmp(name, "kvk_table") != 0)
		return REFUSE(e,
		    "it exports '%.80s'; expected kvk_table alone", name);
	if (y->st_info != ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT) ||
	    y->st_other != STV_DEFAULT || y->st_shndx >= e->nsec ||
	    y->st_size < sizeof(struct kvk_table) ||
	    !in_memory(e, y->st_value, y->st_size, PF_R))
		return REFUSE(e,
		    "kvk_table is not a struct kvk_table in its data");
	*tables += 1;
	return 0;
}

static int
check_symbols(struct elf *e)
{
	static const Elf64_Sym none;
	Elf64_Sym y;
	int tables = 0;
	size_t i;

	memcpy(&y, e->symtab, sizeof(y));
	if (memcmp(&y, &none, sizeof(y)) != 0)
		return REFUSE(e, "its first symbol is not empty");
	for (i = 1; i < e->nsym; i++) {
		memcpy(&y, e->symtab + i * sizeof(y), sizeof(y));
		if (check_symbol(e, &y, &tables))
			return -1;
	}
	if (tables != 1)
		return REFUSE(e, "it does not export kvk_table");
	return 0;
}

static uint32_t
word_at(const unsigned char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* The loader follows this table without looking at its size. */
static int
check_hash(struct elf *e)
{
	const unsigned char *p = at_addr(e, e->gnu_hash, 16);
	uint64_t nbucket, first, nbloom, chains, size, i;

	if (!e->gnu_hash || !p)
		return REFUSE(e, "it has no GNU hash table");
	nbucket = word_at(p);
	first = word_at(p + 4);
	nbloom = word_at(p + 8);
	if (!nbucket || !nbloom || (nbloom & (nbloom - 1)) || first == 0 ||
	    first > e->nsym)
		return REFUSE(e, "its hash table is damaged");
	chains = e->nsym - first;
	size = 16 + nbloom * 8 + nbucket * 4 + chains * 4;
	if (!at_addr(e, e->gnu_hash, size) || !chains ||
	    !(word_at(p + size - 4) & 1))
		return REFUSE(e, "its hash table is damaged");
	for (i = 0; i < nbucket; i++) {
		uint32_t b = word_at(p + 16 + nbloom * 8 + i * 4);

		if (b && (b < first || b >= e->nsym))
			return REFUSE(e, "its hash table is damaged");
	}
	return 0;
}

static int
check_reloc(struct elf *e, const Elf64_Rela *r)
{
	uint64_t type = ELF64_R_TYPE(r->r_info);
	uint64_t sym = ELF64_R_SYM(r->r_info);
	bool known = type == R_X86_64_RELATIVE || type == R_X86_64_64 ||
	    type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT;

	if (!known)
		return REFUSE(e, "unexpected relocation type %" PRIu64, type);
	if (!in_memory(e, r->r_offset, 8, PF_W))
		return REFUSE(e, "it relocates memory outside its data");
	if (sym >= e->nsym || (type == R_X86_64_RELATIVE) != (sym == 0))
		return REFUSE(e, "a relocation names no symbol");
	if (type == R_X86_64_RELATIVE &&
	    !in_memory(e, (uint64_t)r->r_addend, 0, 0))
		return REFUSE(e, "a relocation points outside the object");
	return 0;
}

static int
check_relocs(struct elf *e, int table, int size)
{
	const unsigned char *p;
	uint64_t n = e->dyn[size], i;
	Elf64_Rela r;

	if (!(e->has >> table & 1) && !(e->has >> size & 1))
		return 0;
	p = at_addr(e, e->dyn[table], n);
	if (!p || n % sizeof(r) != 0)
		return REFUSE(e, "its relocations are out of bounds");
	for (i = 0; i < n; i += sizeof(r)) {
		memcpy(&r, p + i, sizeof(r));
		if (check_reloc(e, &r))
			return -1;
	}
	return 0;
}

static int
check_all(struct elf *e)
{
	if (read_head(e) || check_segments(e) || check_sections(e) ||
	    check_dynamic(e) || find_symbols(e) || check_symbols(e) ||
	    check_hash(e))
		return -1;
	if ((e->has >> DT_RELAENT & 1) &&
	    e->dyn[DT_RELAENT] != sizeof(Elf64_Rela))
		return REFUSE(e, "unexpected relocation size");
	if ((e->has >> DT_PLTREL & 1) && e->dyn[DT_PLTREL] != DT_RELA)
		return REFUSE(e, "unexpected relocation kind");
	if (check_relocs(e, DT_RELA, DT_RELASZ))
		return -1;
	return check_relocs(e, DT_JMPREL, DT_PLTRELSZ);
}

int
elf_check(const void *p, size_t n, const char *name, struct diag *d)
{
	struct elf e = { .p = p, .n = n, .name = name, .diag = d };

	return check_all(&e);
}

int
elf_text(const void *p, size_t n, struct elf_range **ranges, size_t *count)
{
	struct diag d;
	struct elf e = { .p = p, .n = n, .name = "object", .diag = &d };
	size_t i;
	int r;

	diag_init(&d);
	r = check_all(&e);
	diag_release(&d);
	*ranges = NULL;
	*count = 0;
	if (r)
		return -1;
	*ranges = calloc(e.nsec, sizeof(**ranges));
	if (!*ranges)
		fatal("out of memory");
	for (i = 0; i < e.nsec; i++) {
		if (e.sec[i].sh_flags & SHF_EXECINSTR)
			(*ranges)[(*count)++] = (struct elf_range){
				e.sec[i].sh_addr, e.p + e.sec[i].sh_offset,
				e.sec[i].sh_size
			};
	}
	return 0;
}
