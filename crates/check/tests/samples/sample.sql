-- YES
# YES in MySQL
SELECT '-- NO '' -- NO', "-- NO", `-- NO` FROM t; -- YES
/* YES /* YES */ YES */
SELECT 'C:\', E'-- NO \' -- NO'; -- YES
SELECT 'it\'s -- NO', a #> b; -- YES
CREATE FUNCTION f() AS $$ -- NO ' $$; -- YES
CREATE FUNCTION g() AS $body$ -- NO $$ $body$; /* YES
*/
SELECT $1, a - -1; --YES
{# YES #}
