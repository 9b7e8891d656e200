-- YES
--[[ YES
YES ]] local a = "-- NO \" -- NO" -- YES
--[==[ YES ]] YES ]==] local b = [[-- NO]] .. [=[ -- NO ]] -- NO ]=] -- YES
local c = '-- NO' -- YES
local d = a - -b[c[1]] -- YES
