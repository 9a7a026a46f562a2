"""From a C file to preprocessed text: the system's compiler, its flags, missing includes, the fallback."""
