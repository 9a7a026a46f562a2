// A library that may not be there: it is opened at run time, in a folder that GPU_DAY_LIBRARIES names (several: colons
// between them) or where the system looks. A program is built without its headers and runs on without it.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "calibration.cuh"

// Libraries' functions give 0 when all is well.
static inline void check_status(int status, const char *call, const char *file, int line)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s:%d: %s: status %d\n", file, line, call, status);
    exit(CUDA_FAILED);
}

#define CHECK_STATUS(call) check_status((call), #call, __FILE__, __LINE__)

class Library {
  public:
    // Names have no ending. What the library needs itself may stand in a folder that only GPU_DAY_LIBRARIES names; what
    // is loaded before isn't looked for again.
    Library(const char *name, std::initializer_list<const char *> needed)
    {
        for (const char *each : needed)
            open(each);
        why_not_.clear();
        handle_ = open(name);
        if (handle_ == nullptr)
            missing_ = why_not_.empty() ? std::string(name) + ".so.13, .so.12 and .so are on no search path" : why_not_;
    }

    // Null where it is missing, which is remembered.
    template <class Function> Function *function(const char *name)
    {
        void *found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
        if (found == nullptr)
            refuse(std::string(name) + " is not in it");
        return reinterpret_cast<Function *>(found);
    }

    // Why it can't be used; the first reason stays.
    void refuse(const std::string &why)
    {
        if (missing_.empty())
            missing_ = path_ + ": " + why;
    }

    const std::string &missing() const { return missing_; }

  private:
    void *handle_ = nullptr;
    std::string path_, missing_, why_not_;

    void *open(const std::string &name)
    {
        for (const char *ending : {".so.13", ".so.12", ".so"}) {
            for (const std::string &folder : folders()) {
                path_ = folder + name + ending;
                if (void *handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL))
                    return handle;
                // That a file isn't there is no news; that one is there and won't load is.
                std::string error = dlerror();
                if (why_not_.empty() && error.find(path_ + ": cannot open shared object file: No such file") != 0)
                    why_not_ = error;
            }
        }
        return nullptr;
    }

    // The empty one is the system's search path.
    static std::vector<std::string> folders()
    {
        std::vector<std::string> found;
        const char *named = getenv("GPU_DAY_LIBRARIES");
        std::istringstream parts(named == nullptr ? "" : named);
        for (std::string folder; std::getline(parts, folder, ':');)
            if (!folder.empty())
                found.push_back(folder + "/");
        found.push_back("");
        return found;
    }
};
