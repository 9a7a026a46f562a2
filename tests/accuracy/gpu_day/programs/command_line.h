// The sizes that a command line says: `./matrix_vector n=8192 m=64`. What isn't said is as the program has it.
#pragma once
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "calibration.cuh"

struct Size {
    const char *name;
    long long value, least, most;
};

// Anything but `name=digits` within the bounds, each name at most once, ends the program with exit code 2.
class CommandLine {
  public:
    CommandLine(const char *program, std::vector<Size> sizes, int count, char **arguments)
        : program_(program), sizes_(std::move(sizes))
    {
        std::vector<bool> is_said(sizes_.size());
        for (const Size &size : sizes_)
            usage_ += " [" + std::string(size.name) + "=" + std::to_string(size.value) + "]";
        for (int i = 1; i < count; i++) {
            std::string argument = arguments[i];
            size_t at = index_of(argument.substr(0, argument.find('=')));
            if (at == sizes_.size() || argument.find('=') == std::string::npos)
                refuse(argument, "is no size of this program");
            if (is_said[at])
                refuse(argument, "says a size again");
            is_said[at] = true;
            sizes_[at].value = whole_number(argument, sizes_[at]);
        }
    }

    const char *program() const { return program_; }

    int operator[](const char *name) const
    {
        size_t at = index_of(name);
        if (at == sizes_.size())
            FAIL("the program asks for a size that it does not have");
        return static_cast<int>(sizes_[at].value);
    }

    std::string json() const
    {
        std::string text = "{";
        for (const Size &size : sizes_)
            text += (text.size() > 1 ? ",\"" : "\"") + std::string(size.name) + "\":" + std::to_string(size.value);
        return text + "}";
    }

  private:
    const char *program_;
    std::vector<Size> sizes_;
    std::string usage_; // the sizes as they are where none is said

    size_t index_of(const std::string &name) const
    {
        size_t at = 0;
        while (at < sizes_.size() && name != sizes_[at].name)
            at++;
        return at;
    }

    long long whole_number(const std::string &argument, const Size &size) const
    {
        std::string digits = argument.substr(argument.find('=') + 1);
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
            refuse(argument, "is no whole number");
        // More digits than an int has would not even fit what they are read into.
        long long value = digits.size() > 10 ? LLONG_MAX : strtoll(digits.c_str(), nullptr, 10);
        if (value < size.least || value > size.most)
            refuse(argument, "lies outside " + std::to_string(size.least) + " to " + std::to_string(size.most));
        return value;
    }

    [[noreturn]] void refuse(const std::string &argument, const std::string &why) const
    {
        fprintf(stderr, "%s: %s %s\nusage: %s%s\n", program_, argument.c_str(), why.c_str(), program_, usage_.c_str());
        exit(WRONG_COMMAND_LINE);
    }
};
