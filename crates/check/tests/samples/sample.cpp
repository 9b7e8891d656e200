// YES
auto a = R"(// NO " // NO)"; // YES
auto b = u8R"x(// NO )" // NO)x"; /* YES */
auto c = 1'000'000; // YES
auto d = 0xFF'FF; auto e = '"'; // YES
auto f = L"// NO"; auto g = u8'"'; // YES
