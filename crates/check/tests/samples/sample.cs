#region Don't // YES
/// <summary>YES</summary>
var a = "// NO \" // NO"; // YES
var b = @"// NO \"; // YES
var c = @"// NO "" // NO"; /* YES */
var d = $"// NO {x["// NO"]} {{ // NO"; // YES
var e = $@"// NO {x} "" \"; // YES
var f = """
  // NO " "" // NO
  """; // YES
var g = """" """ // NO """"; // YES
var h = $"""// NO {x}"""; // YES
var i = '"'; // YES
#endregion
