; YES
(def a "; NO \" ; NO") ; YES
(def b \") ; YES
(def c \;) ; YES
#| YES |#
