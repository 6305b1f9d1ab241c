// Perfect boards of a square edge-matching puzzle by quotas of rare colours, on a graphics card.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -DSIZE=9 -o perfect_boards perfect_boards.cu
//     perfect_boards PLAN SECONDS > ROWS
//
// `perfect_card.py` writes the plan, says what it is, and takes up the rows. Without a card, a C++ compiler makes a
// program for a processor of it that does the same, one thread only.
//
// Boards are filled row by row, all boards of a list by one row at a time: `look` drops those whose next row cannot be
// filled and notes for the others which colours the cells of that row may show on their right, as the layers of
// `matheur.operators.edge_matching` do; `advance` fills the row in all ways and writes a list of the boards. What does
// not fit in a list is done in parts. In `advance` a thread goes on with one board, one piece at a time: it lays the
// first piece that fits, remembers the board if there are others, and returns to the last one remembered when nothing
// fits; all threads of a warp do the same, whatever their cell.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef SIZE
#define SIZE 9
#endif

#ifdef __CUDACC__
#define BOTH __host__ __device__ __forceinline__
#else
#define BOTH inline
#endif

namespace {

constexpr int CELLS = SIZE * SIZE;
constexpr int PAIRS_MAX = 256;   // pairs of colours, of all kinds of cells
constexpr int LINES_MAX = 64;    // colours above, of all kinds of cells
constexpr int PIECES = 64;       // bits for pieces
constexpr int HALF = 5;          // colours in half of a set
constexpr int SETS = 1 << HALF;  // halves of a set
constexpr int COLOURS = 2 * HALF;
static_assert(SIZE >= 4 && SIZE <= 9, "an edge of up to 40 bits, and three words of wanted colours");

// Bits of `Board::shown`: the end of the edge, sides with rare colours so far, the depth, what the next cell asks for.
constexpr int SPENT_AT = 8, DEPTH_AT = 16, ASKED_AT = 23, FRAMED_AT = 8;
constexpr uint32_t EDGE = 0xff, DEPTH = 0x7f, PAIR = 0xff;

constexpr uint32_t ANY = ~0u;  // all colours are wanted

// Free pieces inside; free pieces of the frame; the edge of the filled part, 4 bits a cell: the colour that the next
// cell wants on its left, then the one above it, then those above the cells after it; and for each cell of the row the
// colours that it may show on its right.
struct alignas(16) Board {
    uint64_t inside;
    uint32_t frame, edge, shown, wanted[3];
};

// What a cell asks for: where its pairs of colours and its lines begin, how many colours its left side may have,
// whether it lies on the frame, sides with rare colours that must have been laid before it, where `Board::wanted` is.
struct alignas(8) Cell {
    uint32_t kind, more;

    BOTH uint32_t pairs() const { return kind & 255; }
    BOTH uint32_t line() const { return kind >> 8 & 255; }
    BOTH uint32_t left() const { return kind >> 16 & 15; }
    BOTH bool frame() const { return kind >> 24; }
    BOTH uint32_t quota() const { return more & 255; }
    BOTH uint32_t word() const { return more >> 8 & 255; }
    BOTH uint32_t shift() const { return more >> 16; }
};

struct Tables {
    uint64_t fits[PAIRS_MAX];                // pieces
    uint64_t leads[LINES_MAX * 2 * SETS];    // pieces that show one of a set of colours on their right
    uint16_t shows[PAIRS_MAX * PIECES];      // colour on the right, below (from bit 4), sides with rare colours (bit 8)
    uint64_t taken[PIECES];                  // bits of a piece that has two, as it fits a pair of colours in two ways
    uint64_t twice;                          // all of these
    Cell cells[CELLS + 1];
    int pairs, lines;
};

BOTH int highest(uint64_t word) {
#ifdef __CUDA_ARCH__
    return 63 - __clzll(static_cast<long long>(word));
#else
    return 63 - __builtin_clzll(word);
#endif
}

BOTH int depth_of(uint32_t shown) { return static_cast<int>(shown >> DEPTH_AT & DEPTH); }

BOTH int above_of(uint32_t edge) { return static_cast<int>(edge >> 4 & 15); }

BOTH int pair_of(Cell cell, uint32_t edge) { return cell.pairs() + above_of(edge) * cell.left() + (edge & 15); }

// Pieces of a line that show one of a set of colours on their right.
template <class Place>
BOTH uint64_t leading(const Place& place, int line, uint32_t colours) {
    int first = line * 2 * SETS;
    return place.leads(first + (colours & (SETS - 1))) | place.leads(first + SETS + (colours >> HALF & (SETS - 1)));
}

// The board with that piece in the next cell, by what it shows.
BOTH Board laid(const Board& board, uint32_t shows, bool framed, uint64_t bits) {
    Board next = board;
    next.inside = framed ? board.inside : board.inside & ~bits;
    next.frame = framed ? board.frame & ~static_cast<uint32_t>(bits) : board.frame;
    uint32_t end = board.shown & EDGE;
    next.edge = ((board.edge >> 4 | end << 28) & ~15u) | (shows & 15);
    uint32_t below = shows >> 4 & 15;
    next.shown = (board.shown & ~EDGE) + (1u << DEPTH_AT) + (shows >> 8 << SPENT_AT) + (end >> 4);
    if (SIZE >= 8) {
        next.shown += below << 4 * (SIZE & 1);
    } else {
        next.edge |= below << 4 * (SIZE & 7);
    }
    return next;
}

// Notes for each cell of the row what it may show on its right, if the row can be filled from there, though a piece may
// be laid twice; false if that cannot be. As `_look` of the kernels of the layers.
template <class Place>
BOTH bool look(const Place& place, Board& board) {
    int depth = depth_of(board.shown);
    uint32_t colours = 1;  // the frame
    uint32_t wanted[3] = {0, 0, 0};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = SIZE - 1; k >= 0; k--) {
        Cell cell = place.cell(depth + k);
        uint32_t word = k + 1 < 8 ? board.edge : board.shown;
        int above = static_cast<int>(word >> 4 * ((k + 1) & 7) & 15);
        wanted[k / 3] |= colours << 2 * HALF * (k % 3);
        uint64_t pieces = leading(place, cell.line() + above, colours) & (cell.frame() ? board.frame : board.inside);
        uint32_t first = cell.pairs() + above * cell.left();
        colours = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int left = 0; left < COLOURS; left++)
            colours |= (place.fits(first + left) & pieces) != 0 ? 1u << left : 0u;
        colours &= (1u << cell.left()) - 1;  // what comes behind belongs to another line
    }
    for (int k = 0; k < 3; k++) board.wanted[k] = wanted[k];
    return colours != 0;
}

// All lanes of a warp go on from here together.
BOTH void together() {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
}

BOTH bool none_of_warp(bool one) {
#ifdef __CUDA_ARCH__
    return !__any_sync(~0u, one);
#else
    return !one;
#endif
}

// Depth first from one beginning after the other. `Place` says where the tables are, where boards are remembered, where
// beginnings come from, and what becomes of boards of the depth `until`.
//
// Each round a lane lays one piece, or takes a beginning; what lanes of a warp do differently is kept short.
template <class Place>
BOTH uint32_t search(Place& place, int until) {
    Board board{}, next{};
    uint64_t left = 0;  // pieces that fit in the next cell, and are not yet tried
    uint32_t asked = 0;  // pair of colours of the next cell; from bit `FRAMED_AT` on whether it is on the frame
    uint32_t made = 0;
    int level = 0;
    while (true) {
        together();
        bool open = false;
        if (left == 0) {
            if (level > 0) {
                place.recall(--level, board, left);
                asked = board.shown >> ASKED_AT;
                board.shown &= (1u << ASKED_AT) - 1;
            } else {
                open = place.begin(next);
            }
        }
        together();
        if (left != 0) {
            int piece = highest(left);
            uint64_t bits = 1ull << piece;
            left ^= bits;
            made++;
            bool framed = asked >> FRAMED_AT;
            if (!framed && (bits & place.twice())) bits = place.taken(piece);
            next = laid(board, place.shows((asked & PAIR) * PIECES + piece), framed, bits);
            open = true;
        }
        if (none_of_warp(open)) return made;
        if (open) {
            int depth = depth_of(next.shown);
            Cell cell = place.cell(depth);
            if ((next.shown >> SPENT_AT & 255) >= cell.quota()) {
                if (depth == until) {
                    place.end(next);
                } else {
                    uint32_t pair = pair_of(cell, next.edge);
                    uint64_t fit = place.fits(pair) & (cell.frame() ? next.frame : next.inside);
                    fit &= leading(place, cell.line() + above_of(next.edge), place.wanted(cell));
                    if (fit != 0) {
                        if (left != 0) {
                            board.shown |= asked << ASKED_AT;
                            place.remember(level++, board, left);
                        }
                        board = next;
                        left = fit;
                        asked = pair | (cell.kind >> 24 << FRAMED_AT);
                    }
                }
            }
        }
    }
}

// Pieces of a scan, their bits and how they lie: what is needed to write tables and to read boards.
struct Puzzle {
    int sides[CELLS][4];                       // above, right, below, left
    int frames = 0, insides = 0;               // colours of the frame, and others
    std::vector<int> number;                   // of each colour, among those of its kind
    std::vector<bool> along;                   // whether a colour is one of the frame
    bool framed[CELLS];
    int bit[CELLS];
    int second[CELLS];                         // the other bit, -1 for none
};

struct Shown {
    int pair, bit, piece, turn;
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

void number_pieces(Puzzle& puzzle) {
    int most = 0;
    for (auto& one : puzzle.sides)
        for (int side : one) most = std::max(most, side);
    puzzle.number.assign(most + 1, -1);
    puzzle.along.assign(most + 1, false);
    int inner = 0, outer = 0;
    for (int p = 0; p < CELLS; p++) {
        int* side = puzzle.sides[p];
        int zeros = 0;
        for (int k = 0; k < 4; k++) zeros += side[k] == 0;
        puzzle.framed[p] = zeros > 0;
        puzzle.bit[p] = zeros > 0 ? outer++ : inner++;
        puzzle.second[p] = -1;
        for (int k = 0; k < 4; k++)
            if (side[k] != 0 && (side[(k + 1) % 4] == 0 || side[(k + 3) % 4] == 0)) puzzle.along[side[k]] = true;
    }
    if (outer != 4 * (SIZE - 1) || outer > 32) fail("a frame of other pieces");
    for (int p = 0; p < CELLS; p++) {
        if (puzzle.framed[p]) continue;
        int* side = puzzle.sides[p];
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < k; j++) {
                bool alike = side[k] == side[j] && side[(k + 3) % 4] == side[(j + 3) % 4];
                if (alike && puzzle.second[p] < 0) puzzle.second[p] = inner++;
            }
    }
    if (inner > PIECES) fail("too many pieces inside");
    for (int colour = 1; colour <= most; colour++)
        puzzle.number[colour] = puzzle.along[colour] ? puzzle.frames++ : puzzle.insides++;
    if (puzzle.frames > COLOURS || puzzle.insides > COLOURS) fail("too many colours");
}

// Tables of a set of rare colours and a quota; `all` gets all placements.
void write_tables(const Puzzle& puzzle, const std::vector<bool>& rare, const std::vector<int>& quota, Tables& tables,
                  std::vector<Shown>& all) {
    tables = Tables{};
    all.clear();
    int first[3][3], line[3][3];
    for (int down = 0; down < 3; down++)
        for (int across = 0; across < 3; across++) {
            bool inner = down == 1 && across == 1;
            int left = across == 0 ? 1 : down == 1 ? puzzle.insides : puzzle.frames;
            int above = down == 0 ? 1 : across == 1 ? puzzle.insides : puzzle.frames;
            first[down][across] = tables.pairs;
            line[down][across] = tables.lines;
            tables.pairs += left * above;
            tables.lines += above;
            if (tables.pairs + COLOURS > PAIRS_MAX || tables.lines > LINES_MAX) fail("too many pairs of colours");
            for (int p = 0; p < CELLS; p++) {
                if (puzzle.framed[p] == inner) continue;
                int spent = 0;
                for (int side : puzzle.sides[p]) spent += rare[side];
                for (int turn = 0; turn < 4; turn++) {
                    int side[4];
                    for (int k = 0; k < 4; k++) side[k] = puzzle.sides[p][(k + turn) % 4];
                    if ((side[0] == 0) != (down == 0) || (side[2] == 0) != (down == 2)) continue;
                    if ((side[3] == 0) != (across == 0) || (side[1] == 0) != (across == 2)) continue;
                    auto number = [&](int colour) { return colour == 0 ? 0 : puzzle.number[colour]; };
                    int pair = first[down][across] + number(side[0]) * left + number(side[3]);
                    int shows = number(side[1]) | number(side[2]) << 4 | spent << 8;
                    int bit = puzzle.bit[p];
                    if (tables.fits[pair] >> bit & 1) {
                        if (tables.shows[pair * PIECES + bit] == shows) continue;  // it looks the same
                        bit = puzzle.second[p];
                        if (bit < 0 || tables.fits[pair] >> bit & 1) fail("a piece that fits in three ways");
                    }
                    tables.fits[pair] |= 1ull << bit;
                    tables.shows[pair * PIECES + bit] = static_cast<uint16_t>(shows);
                    all.push_back({pair, bit, p, turn});
                    int shown = number(side[1]), half = shown / HALF * SETS;
                    uint64_t* leads = tables.leads + (line[down][across] + number(side[0])) * 2 * SETS + half;
                    for (int some = 0; some < SETS; some++)
                        if (some >> shown % HALF & 1) leads[some] |= 1ull << bit;
                }
            }
        }
    for (int p = 0; p < CELLS; p++) {
        if (puzzle.framed[p] || puzzle.second[p] < 0) continue;
        uint64_t both = 1ull << puzzle.bit[p] | 1ull << puzzle.second[p];
        tables.taken[puzzle.bit[p]] = tables.taken[puzzle.second[p]] = both;
        tables.twice |= both;
    }
    for (int d = 0; d < CELLS; d++) {
        int down = d / SIZE == 0 ? 0 : d / SIZE == SIZE - 1 ? 2 : 1;
        int across = d % SIZE == 0 ? 0 : d % SIZE == SIZE - 1 ? 2 : 1;
        bool inner = down == 1 && across == 1;
        uint32_t left = across == 0 ? 1 : down == 1 ? puzzle.insides : puzzle.frames;
        tables.cells[d].kind = first[down][across] | line[down][across] << 8 | left << 16 | (inner ? 0u : 1u) << 24;
        tables.cells[d].more = d % SIZE / 3 << 8 | 2 * HALF * (d % SIZE % 3) << 16;
    }
    for (int d = 0; d < CELLS; d++) {
        if (quota[d] > 255) fail("a quota beyond a byte");
        tables.cells[d + 1].more |= static_cast<uint32_t>(std::max(quota[d], 0));
    }
}

Board empty_board(const Puzzle& puzzle) {
    Board board{};
    for (int p = 0; p < CELLS; p++) {
        if (puzzle.framed[p]) {
            board.frame |= 1u << puzzle.bit[p];
        } else {
            board.inside |= 1ull << puzzle.bit[p];
            if (puzzle.second[p] >= 0) board.inside |= 1ull << puzzle.second[p];
        }
    }
    return board;
}

// A board of the first cells, and their pieces as 4 * piece + turn.
struct Beginning {
    Board board;
    std::vector<int> chain;

    void lay(int placement, const Tables& tables, const std::vector<Shown>& all) {
        Cell cell = tables.cells[chain.size()];
        if (static_cast<int>(chain.size()) + 1 >= SIZE || !cell.frame()) fail("a beginning beyond the first row");
        int pair = static_cast<int>(pair_of(cell, board.edge));
        for (const Shown& one : all) {
            bool free = board.frame >> one.bit & 1;
            if (4 * one.piece + one.turn != placement || one.pair != pair || !free) continue;
            board = laid(board, tables.shows[one.pair * PIECES + one.bit], true, 1ull << one.bit);
            chain.push_back(placement);
            return;
        }
        fail("a beginning that does not fit");
    }
};

// All boards that reach `goal` and then are filled to the end, as lists of 4 * piece + turn, by recursion.
struct Reader {
    const Tables& tables;
    const std::vector<Shown>& all;
    Board goal;
    std::vector<int> chain;
    std::vector<std::vector<int>> boards;

    void go(const Board& board) {
        int depth = depth_of(board.shown), aim = depth_of(goal.shown);
        if (depth == aim && (board.inside != goal.inside || board.frame != goal.frame || board.edge != goal.edge ||
                             board.shown != goal.shown))
            return;
        if (depth == CELLS) {
            boards.push_back(chain);
            return;
        }
        Cell cell = tables.cells[depth];
        int pair = pair_of(cell, board.edge);
        uint64_t free = cell.frame() ? board.frame : board.inside;
        if (depth < aim) free &= cell.frame() ? ~static_cast<uint64_t>(goal.frame) : ~goal.inside;
        for (const Shown& one : all) {
            if (one.pair != pair || !(free >> one.bit & 1)) continue;
            uint64_t bits = 1ull << one.bit;
            if (!cell.frame() && (bits & tables.twice)) bits = tables.taken[one.bit];
            chain.push_back(4 * one.piece + one.turn);
            go(laid(board, tables.shows[pair * PIECES + one.bit], cell.frame(), bits));
            chain.pop_back();
        }
    }
};

struct Counters {
    unsigned long long taken, written, made;
};

constexpr int LISTS = SIZE + 2;      // boards of so many rows, and those that were looked at
constexpr int LOOKED = SIZE + 1;
constexpr int ANCHOR = SIZE / 3;     // rows from which on perfect boards are sought again, to read them

#ifdef __CUDACC__

void check(cudaError_t error) {
    if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

__constant__ uint64_t TWICE;
__constant__ uint64_t TAKEN[PIECES];

#ifndef LANES
#define LANES 768
#endif
constexpr int THREADS = LANES;
constexpr int LEVELS = SIZE - 1;  // boards that a thread remembers in shared memory, as many as a row needs
constexpr unsigned long long BATCH = 4;   // boards that a thread takes at a time
constexpr unsigned long long BLOCK = 16;  // room that a thread asks for at a time; what it does not need stays empty

// The tables in shared memory.
struct Shared {
    const uint64_t *fit, *lead;
    const Cell* cells;
    const uint16_t* show;

    __device__ __forceinline__ Cell cell(int depth) const { return cells[depth]; }
    __device__ __forceinline__ uint64_t fits(int pair) const { return fit[pair]; }
    __device__ __forceinline__ uint64_t leads(int at) const { return lead[at]; }
    __device__ __forceinline__ uint32_t shows(int at) const { return show[at]; }
};

__host__ __device__ constexpr int shared_bytes(int pairs, int lines) {
    return 8 * PAIRS_MAX + 16 * SETS * lines + 8 * (CELLS + 1) + 2 * PIECES * pairs;
}

__device__ Shared share(const Tables* tables, uint64_t* memory) {
    uint64_t *fit = memory, *lead = fit + PAIRS_MAX;
    Cell* cells = reinterpret_cast<Cell*>(lead + tables->lines * 2 * SETS);
    uint16_t* show = reinterpret_cast<uint16_t*>(cells + CELLS + 1);
    for (int k = threadIdx.x; k < PAIRS_MAX; k += blockDim.x) fit[k] = tables->fits[k];
    for (int k = threadIdx.x; k < tables->lines * 2 * SETS; k += blockDim.x) lead[k] = tables->leads[k];
    for (int k = threadIdx.x; k <= CELLS; k += blockDim.x) cells[k] = tables->cells[k];
    for (int k = threadIdx.x; k < tables->pairs * PIECES; k += blockDim.x) show[k] = tables->shows[k];
    __syncthreads();
    return {fit, lead, cells, show};
}

// With `ROW` boards come from `look` and a row of them is filled; else any piece is wanted, and more is remembered.
template <int THREADS, bool ROW>
struct OnCard : Shared {
    uint64_t *inside, *rest;  // what is remembered
    uint32_t *frame, *edge, *shown;
    uint32_t* want;           // of the row
    const Board* from;
    Board *to, *beyond;       // what is remembered beyond `LEVELS`, with what is left in place of what is wanted
    uint32_t many, room;
    Counters* counters;
    bool last;
    uint32_t number = BATCH - 1, place = 0;  // of the beginning at hand, and where the next board will be written

    __device__ __forceinline__ uint64_t twice() const { return TWICE; }
    __device__ __forceinline__ uint64_t taken(int piece) const { return TAKEN[piece]; }
    __device__ __forceinline__ uint32_t wanted(Cell cell) const {
        return ROW ? want[cell.word() * THREADS + threadIdx.x] >> cell.shift() : ANY;
    }
    __device__ __forceinline__ uint64_t outside(int level) const {
        return (static_cast<uint64_t>(level - LEVELS) * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    }
    __device__ __forceinline__ void remember(int level, const Board& board, uint64_t left) {
        if (ROW || level < LEVELS) {
            int k = level * THREADS + threadIdx.x;
            inside[k] = board.inside;
            rest[k] = left;
            frame[k] = board.frame;
            edge[k] = board.edge;
            shown[k] = board.shown;
        } else {
            beyond[outside(level)] = {board.inside, board.frame, board.edge, board.shown,
                                      {static_cast<uint32_t>(left), static_cast<uint32_t>(left >> 32), 0}};
        }
    }
    __device__ __forceinline__ void recall(int level, Board& board, uint64_t& left) const {
        if (ROW || level < LEVELS) {
            int k = level * THREADS + threadIdx.x;
            board.inside = inside[k];
            left = rest[k];
            board.frame = frame[k];
            board.edge = edge[k];
            board.shown = shown[k];
        } else {
            board = beyond[outside(level)];
            left = static_cast<uint64_t>(board.wanted[1]) << 32 | board.wanted[0];
        }
    }
    __device__ __forceinline__ bool begin(Board& board) {
        number++;
        if (number % BATCH == 0) number = static_cast<uint32_t>(atomicAdd(&counters->taken, BATCH));
        if (number >= many) {
            number = 0u - static_cast<uint32_t>(BATCH);  // further numbers are too large as well
            return false;
        }
        board = from[number];
        if (ROW)
            for (int k = 0; k < 3; k++) want[k * THREADS + threadIdx.x] = board.wanted[k];
        return true;
    }
    __device__ __forceinline__ void end(const Board& board) {
        if (place % BLOCK == 0) place = static_cast<uint32_t>(atomicAdd(&counters->written, BLOCK));
        if (place < room) {
            to[place] = ROW || !last ? board : from[number];
        }
        place++;
    }
    __device__ __forceinline__ void finish() {
        for (; place % BLOCK != 0; place++)
            if (place < room) to[place] = Board{};
    }
};

template <int THREADS, bool ROW>
__global__ void __launch_bounds__(THREADS, 1)
    advance(const Tables* tables, const Board* from, uint32_t many, Board* to, uint32_t room, Board* beyond, int until,
            Counters* counters) {
    extern __shared__ uint64_t memory[];
    uint64_t *inside = memory, *rest = inside + THREADS * LEVELS;
    uint32_t* frame = reinterpret_cast<uint32_t*>(rest + THREADS * LEVELS);
    uint32_t* edge = frame + THREADS * LEVELS;
    uint32_t* shown = edge + THREADS * LEVELS;
    uint32_t* want = shown + THREADS * LEVELS;
    Shared shared = share(tables, reinterpret_cast<uint64_t*>(want + 3 * THREADS));
    bool last = until == CELLS;
    OnCard<THREADS, ROW> place{shared, inside, rest,   frame, edge, shown,    want,
                               from,   to,     beyond, many,  room, counters, last};
    uint32_t made = search(place, until);
    place.finish();
    atomicAdd(&counters->made, made);
}

constexpr int LOOKERS = 256;

__global__ void __launch_bounds__(LOOKERS)
    look_at(const Tables* tables, const Board* from, uint64_t many, Board* to, Counters* counters) {
    extern __shared__ uint64_t memory[];
    Shared shared = share(tables, memory);
    uint64_t step = static_cast<uint64_t>(gridDim.x) * LOOKERS;
    for (uint64_t first = static_cast<uint64_t>(blockIdx.x) * LOOKERS; first < many; first += step) {
        uint64_t k = first + threadIdx.x;
        Board board{};
        bool kept = false;
        if (k < many) {
            board = from[k];
            kept = board.frame != 0 && look(shared, board);
        }
        unsigned all = __ballot_sync(~0u, kept);
        int lane = threadIdx.x & 31;
        unsigned long long place = 0;
        if (lane == 0 && all != 0) place = atomicAdd(&counters->written, static_cast<unsigned long long>(__popc(all)));
        place = __shfl_sync(~0u, place, 0) + __popc(all & ((1u << lane) - 1));
        if (kept) to[place] = board;
    }
}

template <class T>
T* on_card(uint64_t many) {
    void* where;
    check(cudaMalloc(&where, many * sizeof(T)));
    return static_cast<T*>(where);
}

class Card {
public:
    Card() {
        cudaDeviceProp about;
        check(cudaGetDeviceProperties(&about, 0));
        blocks_ = about.multiProcessorCount;
        beyond_ = on_card<Board>(static_cast<uint64_t>(blocks_) * THREADS * (CELLS - LEVELS));
        tables_ = on_card<Tables>(1);
        counters_ = on_card<Counters>(1);
        size_t free, total;
        check(cudaMemGetInfo(&free, &total));
        room = std::min<uint64_t>(free / 10 * 9 / (LISTS * sizeof(Board)), 1u << 31) / BLOCK * BLOCK;
        for (Board*& list : lists_) list = on_card<Board>(room);
        std::fprintf(stderr, "%s, %d multiprocessors, lists of %llu boards\n", about.name, blocks_,
                     static_cast<unsigned long long>(room));
    }
    void take(const Tables& tables) {
        check(cudaMemcpy(tables_, &tables, sizeof tables, cudaMemcpyHostToDevice));
        check(cudaMemcpyToSymbol(TWICE, &tables.twice, sizeof tables.twice));
        check(cudaMemcpyToSymbol(TAKEN, tables.taken, sizeof tables.taken));
        bytes_ = shared_bytes(tables.pairs, tables.lines);
    }
    void put(int list, const Board& board) {
        check(cudaMemcpy(lists_[list], &board, sizeof board, cudaMemcpyHostToDevice));
    }
    Board get(int list, uint64_t k) const {
        Board board;
        check(cudaMemcpy(&board, lists_[list] + k, sizeof board, cudaMemcpyDeviceToHost));
        return board;
    }
    Counters look(int list, uint64_t first, uint64_t many) {
        check(cudaMemset(counters_, 0, sizeof(Counters)));
        check(cudaFuncSetAttribute(look_at, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_));
        look_at<<<4 * blocks_, LOOKERS, bytes_>>>(tables_, lists_[list] + first, many, lists_[LOOKED], counters_);
        return counted();
    }
    // From boards that `look` has seen and whose row is to be filled, or from any.
    Counters advance(int from, uint64_t first, uint64_t many, int to, int until, bool row) {
        check(cudaMemset(counters_, 0, sizeof(Counters)));
        if (row) {
            launch<true>(from, first, many, to, until);
        } else {
            launch<false>(from, first, many, to, until);
        }
        return counted();
    }
    uint64_t room;

private:
    template <bool ROW>
    void launch(int from, uint64_t first, uint64_t many, int to, int until) {
        auto* kernel = ::advance<THREADS, ROW>;
        int bytes = bytes_ + (28 * LEVELS + 12) * THREADS;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        kernel<<<blocks_, THREADS, bytes>>>(tables_, lists_[from] + first, static_cast<uint32_t>(many), lists_[to],
                                            static_cast<uint32_t>(room), beyond_, until, counters_);
    }
    Counters counted() const {
        check(cudaGetLastError());
        Counters counters;
        check(cudaMemcpy(&counters, counters_, sizeof counters, cudaMemcpyDeviceToHost));
        return counters;
    }
    int blocks_, bytes_ = 0;
    Board *lists_[LISTS], *beyond_;
    Tables* tables_;
    Counters* counters_;
};

#else

class Card {
public:
    void take(const Tables& tables) { tables_ = &tables; }
    void put(int list, const Board& board) { lists_[list].assign(1, board); }
    Board get(int list, uint64_t k) const { return lists_[list][k]; }
    Counters look(int list, uint64_t first, uint64_t many) {
        lists_[LOOKED].clear();
        for (uint64_t k = first; k < first + many; k++) {
            Board board = lists_[list][k];
            if (::look(*this, board)) lists_[LOOKED].push_back(board);
        }
        return {many, lists_[LOOKED].size(), 0};
    }
    Counters advance(int from, uint64_t first, uint64_t many, int to, int until, bool row) {
        row_ = row;
        from_ = &lists_[from];
        to_ = &lists_[to];
        to_->clear();
        at_ = first;
        many_ = first + many;
        written_ = 0;
        last_ = until == CELLS;
        uint64_t made = search(*this, until);
        return {many, written_, made};
    }
    static constexpr uint64_t room = 2'000'000;  // little, so that lists are done in parts

    Cell cell(int depth) const { return tables_->cells[depth]; }
    uint64_t fits(int pair) const { return tables_->fits[pair]; }
    uint64_t leads(int at) const { return tables_->leads[at]; }
    uint32_t shows(int at) const { return tables_->shows[at]; }
    uint64_t twice() const { return tables_->twice; }
    uint64_t taken(int piece) const { return tables_->taken[piece]; }
    uint32_t wanted(Cell cell) const { return row_ ? want_[cell.word()] >> cell.shift() : ANY; }
    void remember(int level, const Board& board, uint64_t left) {
        levels_[level] = board;
        left_[level] = left;
    }
    void recall(int level, Board& board, uint64_t& left) const {
        board = levels_[level];
        left = left_[level];
    }
    bool begin(Board& board) {
        if (at_ == many_) return false;
        board = (*from_)[at_++];
        std::copy(board.wanted, board.wanted + 3, want_);
        return true;
    }
    void end(const Board& board) {
        if (written_++ >= room) return;
        to_->push_back(last_ && !row_ ? (*from_)[at_ - 1] : board);
    }

private:
    const Tables* tables_ = nullptr;
    std::vector<Board> lists_[LISTS], *from_ = nullptr, *to_ = nullptr;
    Board levels_[CELLS];
    uint64_t left_[CELLS];
    uint32_t want_[3];
    uint64_t at_ = 0, many_ = 0, written_ = 0;
    bool last_ = false, row_ = false;
};

#endif

// All perfect boards of a quota.
class Tree {
public:
    Tree(Card& card, const Tables& tables, const std::vector<Shown>& all, const Beginning& first, double* ratios)
        : card_(card), tables_(tables), all_(all), first_(first), ratios_(ratios) {
        card.take(tables);
        card.put(0, first.board);
        int from = 0, to = LOOKED;
        uint64_t many = 1;
        for (int until = static_cast<int>(first.chain.size()) + 2; many > 0 && until < SIZE + 2; until += 2) {
            bool whole = until >= SIZE;
            Counters counters = card.advance(from, 0, many, whole ? 1 : to, whole ? SIZE : until, false);
            placements += counters.made;
            many = counters.written;
            if (many > card.room) fail("too many first rows");
            std::swap(from, to);
        }
        fill(1, many);
        std::sort(boards.begin(), boards.end());
        boards.erase(std::unique(boards.begin(), boards.end()), boards.end());
    }
    uint64_t placements = 0, rows[SIZE + 1] = {};
    std::vector<std::vector<int>> boards;

private:
    // Go on with boards of so many rows, as many at a time as the next list has room for.
    void fill(int row, uint64_t many) {
        rows[row] += many;
        uint64_t first = 0;
        while (first < many) {
            double most = ratios_[row] > 0 ? 0.7 * card_.room / ratios_[row] : card_.room;
            uint64_t part = std::min(many - first, std::max<uint64_t>(static_cast<uint64_t>(std::min(most, 1e12)), 1));
            part = std::min<uint64_t>(part, card_.room);
            if (row == ANCHOR) {
                anchor_ = first;
                anchored_ = part;
                read_ = false;
            }
            uint64_t looked = card_.look(row, first, part).written;
            Counters counters = card_.advance(LOOKED, 0, looked, row + 1, (row + 1) * SIZE, true);
            ratios_[row] = std::max(0.8 * ratios_[row], static_cast<double>(counters.written) / part);
            if (counters.written > card_.room) {
                if (part == 1) fail("too many rows below one board");
                continue;
            }
            placements += counters.made;
            if (counters.written > 0) {
                if (row + 1 < SIZE) {
                    fill(row + 1, counters.written);
                } else {
                    rows[SIZE] += counters.written;
                    read();
                }
            }
            first += part;
        }
    }
    // The boards behind the beginnings at hand.
    void read() {
        if (read_) return;
        read_ = true;
        uint64_t found = card_.advance(ANCHOR, anchor_, anchored_, SIZE, CELLS, false).written;
        if (found > card_.room) fail("too many perfect boards");
        for (uint64_t k = 0; k < found; k++) {
            Reader reader{tables_, all_, card_.get(SIZE, k), first_.chain, {}};
            if (reader.goal.frame == 0) continue;
            reader.go(first_.board);
            boards.insert(boards.end(), reader.boards.begin(), reader.boards.end());
        }
    }
    Card& card_;
    const Tables& tables_;
    const std::vector<Shown>& all_;
    Beginning first_;
    double* ratios_;
    uint64_t anchor_ = 0, anchored_ = 0;
    bool read_ = false;
};

int number_from(FILE* file) {
    int number;
    if (std::fscanf(file, "%d", &number) != 1) fail("a plan that ends too early");
    return number;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int count, char** given) {
    if (count < 3) fail("perfect_boards PLAN SECONDS");
    FILE* plan = std::fopen(given[1], "r");
    if (!plan) fail("no such plan");
    double end = now() + std::atof(given[2]);
    if (number_from(plan) != SIZE) fail("a plan of another size");
    std::vector<Puzzle> scans(number_from(plan));
    for (Puzzle& scan : scans) {
        for (auto& piece : scan.sides)
            for (int& side : piece) side = number_from(plan);
        number_pieces(scan);
    }
    Card card;
    Tables tables;
    std::vector<Shown> all;
    double ratios[SIZE + 1] = {};
    int tasks = number_from(plan);
    for (int task = 0; task < tasks && now() < end; task++) {
        const Puzzle& scan = scans.at(number_from(plan));
        std::vector<bool> rare(scan.number.size(), false);
        for (int many = number_from(plan); many > 0; many--) rare.at(number_from(plan)) = true;
        std::vector<int> given_first(number_from(plan)), quota(CELLS);
        for (int& one : given_first) one = number_from(plan);
        for (int& one : quota) one = number_from(plan);
        write_tables(scan, rare, quota, tables, all);
        Beginning first{empty_board(scan), {}};
        for (int one : given_first) first.lay(one, tables, all);
        double began = now();
        Tree tree(card, tables, all, first, ratios);
        std::printf("{\"task\": %d, \"placements\": %llu, \"seconds\": %.3f, \"rows\": [", task,
                    static_cast<unsigned long long>(tree.placements), now() - began);
        for (int row = 1; row <= SIZE; row++)
            std::printf("%s%llu", row > 1 ? ", " : "", static_cast<unsigned long long>(tree.rows[row]));
        std::printf("], \"boards\": [");
        for (size_t k = 0; k < tree.boards.size(); k++) {
            std::printf("%s[", k ? ", " : "");
            for (int cell = 0; cell < CELLS; cell++) std::printf("%s%d", cell ? ", " : "", tree.boards[k][cell]);
            std::printf("]");
        }
        std::printf("]}\n");
        std::fflush(stdout);
    }
    return 0;
}
