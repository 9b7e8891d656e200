% YES
A = "% NO", B = 'a% NO', C = $%, D = $". % YES
