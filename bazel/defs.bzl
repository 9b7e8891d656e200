"""Rules for regreen: check documents and Clank programs, and compile Clank programs.

No action writes a source. What a fix would be is an output; `regreen_fix` or `regreen apply` makes it.
"""

load("//private:actions.bzl", _RegreenInfo = "RegreenInfo")
load("//private:check.bzl", _regreen_aspect = "regreen_aspect", _regreen_check = "regreen_check", _regreen_fix = "regreen_fix", _regreen_test = "regreen_test")
load("//private:clank.bzl", _ClankInfo = "ClankInfo", _clank_binary = "clank_binary", _clank_library = "clank_library", _clank_test = "clank_test")
load(":settings.bzl", _RegreenConfigInfo = "RegreenConfigInfo", _regreen_config = "regreen_config")

ClankInfo = _ClankInfo
RegreenConfigInfo = _RegreenConfigInfo
RegreenInfo = _RegreenInfo
clank_binary = _clank_binary
clank_library = _clank_library
clank_test = _clank_test
regreen_aspect = _regreen_aspect
regreen_check = _regreen_check
regreen_config = _regreen_config
regreen_fix = _regreen_fix
regreen_test = _regreen_test
