/** YES */
import React from "react"; // YES
export function App<T,>({ name }: { name: string }) {
  return (
    <div title="// NO" data-x='/* NO */'>
      {/* YES */}
      <p>Don't say {name} /* YES in doubt */</p>
      <br />{/* YES */}</div>
  ); // YES
}
type U = `${string}// NO`;
let v = x! / 2; // YES
const w = <T,>(x: T) => x; // YES
