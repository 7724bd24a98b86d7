// SPDX-License-Identifier: Apache-2.0
//
// Validating with Blaze, the C++ library, as bench_validate does it: one JSON object per line
// says one figure. report.py builds it where FERRULE_BENCH_BLAZE names an installed Blaze.
//
//     blaze_peer FOLDER SET WAY...
//
// Verdicts are asked of a program compiled for speed, findings of an exhaustive one with
// Blaze's simple output; annotations, which nobody asks for, are left out of both.

#include <sourcemeta/blaze/compiler.h>
#include <sourcemeta/blaze/evaluator.h>
#include <sourcemeta/blaze/foundation.h>
#include <sourcemeta/blaze/output.h>
#include <sourcemeta/core/json.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace blaze = sourcemeta::blaze;
using sourcemeta::core::JSON;

namespace
{

constexpr double PIECE_NS = 250e3;
constexpr int TURNS_MIN = 5;
constexpr int TURNS_MAX = 60;
constexpr double WAY_NS = 250e6; // no further turn of a way past this

struct Set {
    std::string name;
    std::string schema;
    std::vector<std::string> good_texts;
    std::vector<JSON> good;
    std::vector<JSON> bad;
};

std::string read(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> read_lines(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

std::vector<JSON> parse(const std::vector<std::string> &lines)
{
    std::vector<JSON> values;
    for (const auto &line : lines) values.push_back(sourcemeta::core::parse_json(line));
    return values;
}

blaze::Template compile(const std::string &text, blaze::Mode mode)
{
    blaze::Tweaks tweaks;
    tweaks.annotations.emplace(); // none
    return blaze::compile(sourcemeta::core::parse_json(text), blaze::schema_walker,
                          blaze::schema_resolver, blaze::default_schema_compiler, mode,
                          "https://json-schema.org/draft/2020-12/schema", "", "", tweaks);
}

double now()
{
    return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch() /
                               std::chrono::nanoseconds(1));
}

// A piece of a pass; gives how many instances were taken for valid.
using Pass = std::function<std::size_t(std::size_t from, std::size_t to)>;

// The sum of the quickest time of each piece of a pass, as bench_validate has it.
double quickest(const Pass &pass, std::size_t count)
{
    const double begun = now();
    pass(0, count);
    const double once = now() - begun + 1;
    const std::size_t passes = once < PIECE_NS ? static_cast<std::size_t>(PIECE_NS / once) + 1 : 1;
    const auto fit = static_cast<std::size_t>(static_cast<double>(count) * PIECE_NS / once) + 1;
    const std::size_t piece = std::min(count, fit);
    std::vector<double> best(count / piece + 1, 1e18);
    std::size_t pieces = 0;
    const double from = now();
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        if (turn >= TURNS_MIN && now() - from > WAY_NS) break;
        pieces = 0;
        for (std::size_t i = 0; i < count; i += piece, pieces++) {
            const double start = now();
            for (std::size_t p = 0; p < passes; p++) pass(i, std::min(count, i + piece));
            best[pieces] = std::min(best[pieces], now() - start);
        }
    }
    const double sum = std::accumulate(best.begin(), best.begin() + static_cast<long>(pieces), 0.0);
    return sum / static_cast<double>(passes * count);
}

void say(const Set &set, const std::string &way, const Pass &pass, std::size_t count, bool bad)
{
    if (!count) return;
    const std::size_t valid = pass(0, count);
    std::printf("{\"engine\":\"blaze\",\"set\":\"%s\",\"way\":\"%s\",\"ns\":%.2f,\"wrong\":%zu}\n",
                set.name.c_str(), way.c_str(), quickest(pass, count), bad ? valid : count - valid);
    std::fflush(stdout);
}

std::size_t instructions(const blaze::Instructions &list)
{
    std::size_t count = list.size();
    for (const auto &i : list) count += instructions(i.children);
    return count;
}

// What stays allocated is the program: all else that compiling made is gone by then.
void say_program(const Set &set)
{
    const auto before = mallinfo2();
    const blaze::Template program = compile(set.schema, blaze::Mode::FastValidation);
    const auto after = mallinfo2();
    const std::size_t bytes = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    std::size_t count = 0;
    for (const auto &target : program.targets) count += instructions(target);
    std::printf("{\"engine\":\"blaze\",\"set\":\"%s\",\"way\":\"program\",\"bytes\":%zu,"
                "\"instructions\":%zu,\"text\":%zu}\n",
                set.name.c_str(), bytes, count, set.schema.size());
}

void run(const Set &set, const std::string &way, const blaze::Template &quick)
{
    blaze::Evaluator evaluator;
    const auto ask = [&](const std::vector<JSON> &values) {
        return [&](std::size_t from, std::size_t to) {
            std::size_t valid = 0;
            for (std::size_t i = from; i < to; i++) valid += evaluator.validate(quick, values[i]);
            return valid;
        };
    };
    if (way == "valid") {
        say(set, way, ask(set.good), set.good.size(), false);
    } else if (way == "invalid") {
        say(set, way, ask(set.bad), set.bad.size(), true);
    } else if (way == "findings" && !set.bad.empty()) {
        const blaze::Template all = compile(set.schema, blaze::Mode::Exhaustive);
        const Pass pass = [&](std::size_t from, std::size_t to) {
            std::size_t valid = 0;
            for (std::size_t i = from; i < to; i++) {
                blaze::SimpleOutput output{set.bad[i]};
                evaluator.validate(all, set.bad[i], std::ref(output));
                valid += output.begin() == output.end();
            }
            return valid;
        };
        say(set, way, pass, set.bad.size(), true);
    } else if (way == "text") {
        const Pass pass = [&](std::size_t from, std::size_t to) {
            std::size_t valid = 0;
            for (std::size_t i = from; i < to; i++) {
                valid += evaluator.validate(quick, sourcemeta::core::parse_json(set.good_texts[i]));
            }
            return valid;
        };
        say(set, way, pass, set.good.size(), false);
    } else if (way == "compile") {
        const Pass pass = [&](std::size_t, std::size_t) -> std::size_t {
            return !compile(set.schema, blaze::Mode::FastValidation).targets.empty();
        };
        say(set, way, pass, 1, false);
    } else if (way == "program") {
        say_program(set);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        std::fputs("blaze_peer FOLDER SET WAY...\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    try {
        Set set{argv[2],
                read(folder + "/schema.json"),
                read_lines(folder + "/instances.jsonl"),
                {},
                {}};
        set.good = parse(set.good_texts);
        set.bad = parse(read_lines(folder + "/invalid.jsonl"));
        const blaze::Template quick = compile(set.schema, blaze::Mode::FastValidation);
        for (int i = 3; i < argc; i++) run(set, argv[i], quick);
    } catch (const std::exception &error) {
        std::string what = error.what();
        for (auto &c : what) {
            if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
        }
        std::printf("{\"engine\":\"blaze\",\"set\":\"%s\",\"way\":\"compile\",\"error\":\"%s\"}\n",
                    argv[2], what.c_str());
    }
    return 0;
}
