// The threads of one block, as fibers that run one after the other between the points where they wait for each other.
//
// Between two such points each thread runs without a break, and every block and every stretch between barriers has the
// threads in another order (`Order`): code that needs a barrier it doesn't have computes something else in one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include "exchange.h"

namespace cuda_on_cpu {

constexpr int WARP = 32;
constexpr std::size_t STACK_BYTES = 96 * 1024;

// Exit status of a program whose CUDA is wrong: the sanitizers have another.
constexpr int WRONG = 3;

[[noreturn]] void wrong(const char *what, int line);

// What is not decided by the program: order 0 runs threads and blocks as they are numbered, 1 backwards, others at
// random. Memory that nothing has written is full of `garbage`: NaN in even orders, a small number in odd ones.
struct Order {
    unsigned seed = 0;
    std::uint64_t state = 1;

    unsigned char garbage() const { return seed % 2 ? 0xa5 : 0xff; }

    void arrange(std::vector<std::size_t> &turns, std::size_t count)
    {
        turns.resize(count);
        for (std::size_t i = 0; i < count; i++)
            turns[i] = seed == 1 ? count - 1 - i : i;
        if (seed < 2)
            return;
        for (std::size_t i = count; i > 1; i--) {
            state = state * 6364136223846793005u + 1442695040888963407u + seed;
            std::swap(turns[i - 1], turns[(state >> 33) % i]);
        }
    }
};
inline Order order;

enum class State { unstarted, ready, at_barrier, in_warp, done };

// Where a stack of its own goes on. ucontext.h does it everywhere; its system calls, and what the sanitizer does at each of
// them, take ten times as long as a kernel between two barriers.
#if defined(__x86_64__)
extern "C" void cuda_on_cpu_switch(void **from, void *to);

struct Context {
    void *top = nullptr;

    void start(char *stack, void (*body)())
    {
        auto *at = reinterpret_cast<void **>((reinterpret_cast<std::uintptr_t>(stack) + STACK_BYTES) & ~std::uintptr_t(15));
        *--at = nullptr;
        *--at = reinterpret_cast<void *>(body);
        top = at - 6; // what cuda_on_cpu_switch pops
    }
    void switch_to(Context &other) { cuda_on_cpu_switch(&top, other.top); }
};
#else
struct Context {
    ucontext_t context;

    void start(char *stack, void (*body)())
    {
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = STACK_BYTES;
        context.uc_link = nullptr;
        makecontext(&context, body, 0);
    }
    void switch_to(Context &other) { swapcontext(&context, &other.context); }
};
#endif

struct Fiber {
    Context context;
    std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
};

// `meetings` counts the barriers of its warp that a thread has passed since the last one of the block.
struct Thread {
    State state = State::unstarted;
    int line = 0;
    unsigned meetings = 0;
    Fiber *fiber = nullptr;
    Exchange exchange;
};

class Block {
public:
    // Runs `body(thread)` for every thread; `enter(thread)` whenever one goes on.
    void run(std::size_t threads, std::function<void(std::size_t)> thread_enters, std::function<void()> thread_body)
    {
        enter = std::move(thread_enters);
        body = std::move(thread_body);
        all.assign(threads, Thread{});
        barriers = 0;
        while (step())
            release();
    }

    std::size_t thread() const { return current; }
    unsigned phase() const { return barriers; }
    unsigned meetings() const { return all[current].meetings; }

    void barrier(int line) { wait(State::at_barrier, line); }

    Exchange exchange(Exchange wanted)
    {
        std::size_t lane = current % WARP;
        if (!(wanted.mask >> lane & 1))
            wrong("a thread is not in the mask of its own warp operation", wanted.line);
        all[current].exchange = wanted;
        wait(State::in_warp, wanted.line);
        return all[current].exchange;
    }

private:
    std::vector<Thread> all;
    std::vector<std::unique_ptr<Fiber>> fibers, spare;
    Fiber *running = nullptr;
    std::vector<std::size_t> turns;
    std::size_t next_turn = 0, current = 0;
    unsigned barriers = 0;
    std::function<void(std::size_t)> enter;
    std::function<void()> body;
    Context scheduler;

    // Every thread that can go on does until it waits; false once all are done.
    bool step()
    {
        order.arrange(turns, all.size());
        for (next_turn = 0; next_turn < turns.size();) {
            Thread &thread = all[turns[next_turn]];
            if (thread.state == State::ready) {
                current = turns[next_turn++];
                enter(current);
                resume(*thread.fiber);
            } else if (thread.state == State::unstarted) {
                resume(idle_fiber());
            } else {
                next_turn++;
            }
        }
        for (const Thread &thread : all)
            if (thread.state != State::done)
                return true;
        return false;
    }

    // Lets the threads go on that have all met; what none can bring about any more is an error.
    void release()
    {
        bool any = false;
        for (std::size_t warp = 0; warp < all.size(); warp += WARP)
            any |= release_warp(warp);
        if (any)
            return;
        int line = all[0].line;
        for (const Thread &thread : all) {
            if (thread.state != State::at_barrier)
                wrong(thread.state == State::done ? "a barrier that some threads of the block never reach"
                                                  : "threads of a warp wait for others that are elsewhere",
                      thread.state == State::done ? barrier_line() : thread.line);
            if (thread.line != line)
                wrong("threads of a block wait at different barriers", thread.line);
        }
        barriers++;
        for (Thread &thread : all) {
            thread.state = State::ready;
            thread.meetings = 0;
        }
    }

    int barrier_line() const
    {
        for (const Thread &thread : all)
            if (thread.state == State::at_barrier)
                return thread.line;
        return 0;
    }

    bool release_warp(std::size_t warp)
    {
        std::size_t end = std::min(warp + WARP, all.size());
        bool any = false;
        for (std::size_t i = warp; i < end; i++) {
            if (all[i].state != State::in_warp || !is_complete(warp, end, all[i].exchange))
                continue;
            const Exchange asked = all[i].exchange;
            unsigned votes = 0, present = 0;
            for (std::size_t k = warp; k < end; k++)
                if (asked.mask >> (k - warp) & 1 && all[k].state == State::in_warp) {
                    present |= 1u << (k - warp);
                    votes |= (all[k].exchange.value != 0 ? 1u : 0u) << (k - warp);
                }
            for (std::size_t k = warp; k < end; k++) {
                if (!(present >> (k - warp) & 1))
                    continue;
                Exchange &mine = all[k].exchange;
                if (mine.operation) {
                    mine.result = votes;
                    continue;
                }
                std::memset(&mine.result, order.garbage(), sizeof mine.result);
                if (present >> mine.source & 1)
                    mine.result = all[warp + std::size_t(mine.source)].exchange.value;
            }
            for (std::size_t k = warp; k < end; k++)
                if (present >> (k - warp) & 1) {
                    all[k].state = State::ready;
                    all[k].meetings += all[k].exchange.operation == 2;
                }
            any = true;
        }
        return any;
    }

    // Whether all threads of the mask that have not ended are at this operation.
    bool is_complete(std::size_t warp, std::size_t end, const Exchange &asked) const
    {
        for (std::size_t k = warp; k < end; k++) {
            if (!(asked.mask >> (k - warp) & 1) || all[k].state == State::done)
                continue;
            if (all[k].state != State::in_warp)
                return false;
            if (all[k].exchange.line != asked.line || all[k].exchange.mask != asked.mask)
                return false;
        }
        return true;
    }

    Fiber &idle_fiber()
    {
        if (spare.empty()) {
            spare.push_back(std::make_unique<Fiber>());
            Fiber &made = *spare.back();
            starting = this;
            made.context.start(made.stack.get(), [] { starting->work(); });
        }
        fibers.push_back(std::move(spare.back()));
        spare.pop_back();
        return *fibers.back();
    }

    static inline Block *starting = nullptr;

    // One fiber runs one thread after the other until one of them waits.
    void work()
    {
        for (;;) {
            Fiber *self = running;
            while (next_turn < turns.size() && all[turns[next_turn]].state == State::unstarted) {
                current = turns[next_turn++];
                all[current].fiber = self;
                enter(current);
                body();
                all[current].state = State::done;
            }
            for (auto &fiber : fibers)
                if (fiber.get() == self) {
                    std::swap(fiber, fibers.back());
                    spare.push_back(std::move(fibers.back()));
                    fibers.pop_back();
                    break;
                }
            self->context.switch_to(scheduler);
        }
    }

    void wait(State state, int line)
    {
        Thread &thread = all[current];
        thread.state = state;
        thread.line = line;
        thread.fiber->context.switch_to(scheduler);
    }

    void resume(Fiber &fiber)
    {
        running = &fiber;
        scheduler.switch_to(fiber.context);
    }
};
inline Block block;

} // namespace cuda_on_cpu
