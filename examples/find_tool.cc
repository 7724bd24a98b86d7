// SPDX-License-Identifier: Apache-2.0
//
// Finds a tool by ID and version constraint and prints its contract, from C++.
//
//     c++ find_tool.cc $(pkg-config --cflags --libs ferrule) -o find_tool
//     ./find_tool tickets:create_issue '^1.2' tickets.json

#include <ferrule/ferrule.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

namespace
{
fer_str view(const std::string &s)
{
    return fer_str{s.data(), s.size()};
}
std::string text(fer_str s)
{
    return std::string(s.ptr, s.len);
}
} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        std::cerr << "usage: find_tool ID CONSTRAINT FILE...\n";
        return 2;
    }
    const std::unique_ptr<fer_toolset, decltype(&fer_toolset_free)> set(fer_toolset_new(),
                                                                        fer_toolset_free);
    const std::unique_ptr<fer_arena, decltype(&fer_arena_free)> arena(fer_arena_new(0),
                                                                      fer_arena_free);
    if (!set || !arena) return 70;
    fer_err err;
    for (int i = 3; i < argc; i++) {
        std::ifstream in(argv[i], std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
        if (fer_toolset_add(set.get(), fer_str_of(argv[i]), view(content), FER_FORMAT_AUTO, &err) !=
            FER_OK) {
            std::cerr << argv[i] << ":" << err.line << ":" << err.column << ": " << err.message
                      << "\n";
            return 2;
        }
    }
    const fer_tool *tool = nullptr;
    if (fer_toolset_find(set.get(), fer_str_of(argv[1]), fer_str_of(argv[2]), &tool, &err) !=
        FER_OK) {
        std::cerr << err.message << "\n";
        return 1;
    }
    char hash[FER_HASH_TEXT];
    if (fer_tool_definition_hash(arena.get(), tool, hash, &err) != FER_OK) return 70;
    std::cout << text(fer_tool_id(tool)) << "\n"
              << fer_effect_name(fer_tool_effect(tool)) << ", idempotency key "
              << fer_idempotency_name(fer_tool_idempotency(tool)) << "\n"
              << "sha256:" << hash << "\n";
    return 0;
}
