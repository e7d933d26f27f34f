// What a target of precompiled headers (Precompiled.cmake) has to compile besides them: nothing.
