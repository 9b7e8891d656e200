(* YES (* YES *) YES *)
let f' (x : 'a) = "(* NO *)" (* YES *)
let g = ( * ) and h = '"' (* YES *)
