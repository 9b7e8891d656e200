-- YES
{- YES {- YES -} YES -}
{-# LANGUAGE YES #-}
f' x = "-- NO \" -- NO" -- YES
a --> b = '"' -- YES
g = foldl' (|--) x --- YES
h = "gap \
   \-- NO" -- YES
