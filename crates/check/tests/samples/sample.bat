@echo off
rem YES
:: YES
echo rem NO :: NO
REM YES
