import os
import sys

print( 'é😀', sys.argv )
