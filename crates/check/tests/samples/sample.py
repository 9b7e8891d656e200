#!/usr/bin/env python3 YES
"""A docstring is a string: # NO"""
import os  # YES unused
x = "# NO" + '# NO' + "\"# NO" + r"\# NO" + '''
# NO
''' + """ " # NO \""" # NO """
y = f"{x["# NO"]}" + f'{x!r:#NO>10}' + f"{{# NO" + f"""{
    x}# NO"""  # YES
z = 'it''s'  # YES "quoted" # still the same one
b = rb"\"# NO" if x else B'# NO'#YES
long = "a \
# NO"  # YES
print(f"{f'{x}# NO'}", f"{x:{'#'}>{10}NO}")  # YES
odd = 'unfinished # YES in doubt it is one
#YES at the end
