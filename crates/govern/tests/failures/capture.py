#!/usr/bin/env python3
"""Captures what real tools print when something goes wrong, for the tests of `execute::failure`.

Each case is a handful of files and a command. It runs in a folder of its own, whose path is written as `{tree}`; where the
machine keeps its programs is written as other paths of that kind, because a reader must cope with them. Run it where python3, rustc, cargo, node, javac,
java, g++, make, go, tsc, mocha, pytest and mypy are on PATH; a tool that is missing is named and its cases stay as they are.

    crates/govern/tests/failures/capture.py [CASE…]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

TOTAL_PY = """def total(prices):
    result = 0
    for price in prices:
        result = result + price["amount"]
    return result
"""
RUN_PY = """from src.total import total

print(total([{"amount": 1}, None]))
"""
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
GO_MOD = "module example.org/shop\n\ngo 1.22\n"
CART_GO = """package cart

func Total(prices []int) int {
	sum := 0
	for i := 0; i <= len(prices); i++ {
		sum += prices[i]
	}
	return sum
}
"""
JAVA = {
    "src/main/java/shop/Total.java": """package shop;

public class Total {
    static int of(Integer price) {
        return price + 1;
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }
}
""",
    "src/main/java/shop/Main.java": """package shop;

public class Main {
    public static void main(String[] args) {
        try {
            System.out.println(Total.of(null));
        } catch (NullPointerException error) {
            throw new IllegalStateException("cannot add", error);
        }
    }
}
""",
}
JAVA_RUN = "mkdir out && javac -d out $(find src -name '*.java') && java -cp out shop.Main"

# The name of a case, its files, and its command.
CASES = {
    "python-exception": ({"src/__init__.py": "", "src/total.py": TOTAL_PY, "run.py": RUN_PY}, "python3 $PWD/run.py"),
    "python-module": ({"src/__init__.py": "", "src/total.py": TOTAL_PY, "src/run.py": RUN_PY}, "python3 -m src.run"),
    "python-cause": (
        {
            "src/tax.py": """class TaxError(Exception):
    pass


def rate(country):
    try:
        return {"de": 19}[country]
    except KeyError as error:
        raise TaxError(f"no tax for {country}") from error


rate("xx")
"""
        },
        "python3 $PWD/src/tax.py",
    ),
    "python-syntax": ({"src/total.py": "def total(prices)\n    return sum(prices)\n"}, "python3 $PWD/src/total.py"),
    "python-indentation": ({"src/total.py": "def total(prices):\nreturn sum(prices)\n"}, "python3 src/total.py"),
    "python-import": ({"src/total.py": "from pricing import rate\n"}, "python3 $PWD/src/total.py"),
    "python-recursion": ({"src/total.py": "def f(n):\n    return f(n + 1)\n\n\nf(0)\n"}, "python3 $PWD/src/total.py"),
    "python-group": (
        {"src/total.py": "raise ExceptionGroup('two', [ValueError('a'), TypeError('b')])\n"},
        "python3 $PWD/src/total.py",
    ),
    "python-json": ({"src/load.py": "import json\n\njson.loads('{')\n"}, "python3 $PWD/src/load.py"),
    "python-unittest": (
        {
            "src/__init__.py": "",
            "src/total.py": "def total(prices):\n    return sum(prices) - 1\n",
            "tests/__init__.py": "",
            "tests/test_total.py": """import unittest

from src.total import total


class TotalTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(total([1]), 1)


unittest.main()
""",
        },
        "python3 -m tests.test_total",
    ),
    "python-pytest": (
        {
            "src/__init__.py": "",
            "src/total.py": TOTAL_PY,
            "tests/test_total.py": "from src.total import total\n\n\ndef test_none():\n    assert total([None]) == 0\n",
        },
        "python3 -m pytest -p no:cacheprovider",
    ),
    "python-mypy": (
        {"src/total.py": "def total(prices: list[int]) -> str:\n    return sum(prices)\n"},
        "mypy --cache-dir=/dev/null src/total.py",
    ),
    "rust-rustc": ({"src/main.rs": 'fn main() {\n    let x: u32 = "a";\n    println!("{x}");\n}\n'}, "rustc src/main.rs"),
    "rust-borrow": (
        {
            "src/main.rs": """fn main() {
    let unused = 1;
    let mut prices = vec![1];
    let first = &prices[0];
    prices.push(2);
    println!("{first}");
}
"""
        },
        "rustc $PWD/src/main.rs",
    ),
    "rust-cargo": (
        {
            "Cargo.toml": CARGO,
            "src/main.rs": "mod cart;\n\nfn main() {\n    println!(\"{}\", cart::total(&[1]));\n}\n",
            "src/cart.rs": "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().summ()\n}\n",
        },
        "cargo build --offline",
    ),
    "rust-panic": (
        {"src/main.rs": "fn main() {\n    let prices = vec![1];\n    println!(\"{}\", prices[std::env::args().count() + 1]);\n}\n"},
        "rustc -o shop src/main.rs && ./shop",
    ),
    "rust-backtrace": (
        {"src/main.rs": "fn main() {\n    let n: Result<u32, String> = Err(\"no tax\".into());\n    n.unwrap();\n}\n"},
        "rustc -g -o shop src/main.rs && RUST_BACKTRACE=1 ./shop",
    ),
    "rust-test": (
        {
            "Cargo.toml": CARGO,
            "src/lib.rs": """pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum::<u32>() + 1
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_price() {
        assert_eq!(super::total(&[1]), 1);
    }
}
""",
        },
        "cargo test --offline --lib",
    ),
    "rust-manifest": ({"Cargo.toml": CARGO + "[dependencies\n", "src/lib.rs": ""}, "cargo build --offline"),
    "node-exception": (
        {
            "src/cart.js": """function total(prices) {
  return prices.map((price) => price.amount).reduce((a, b) => a + b);
}

module.exports = { total };
""",
            "src/main.js": 'const { total } = require("./cart");\n\nconsole.log(total([{ amount: 1 }, undefined]));\n',
        },
        "node $PWD/src/main.js",
    ),
    "node-esm": ({"src/main.mjs": 'import { total } from "./cart.mjs";\n\nconsole.log(total([]));\n'}, "node src/main.mjs"),
    "node-syntax": ({"src/cart.js": "function total(prices) {\n  return prices.;\n}\n"}, "node $PWD/src/cart.js"),
    "node-rejection": (
        {"src/main.js": 'async function load() {\n  throw new RangeError("no tax for xx");\n}\n\nload();\n'},
        "node $PWD/src/main.js",
    ),
    "node-cause": (
        {
            "src/main.js": """try {
  JSON.parse("{");
} catch (error) {
  throw new Error("cannot read the cart", { cause: error });
}
"""
        },
        "node $PWD/src/main.js",
    ),
    "node-string": ({"src/main.js": 'throw "no tax";\n'}, "node $PWD/src/main.js"),
    "node-assert": ({"src/main.js": 'require("assert").strictEqual(1 + 1, 3);\n'}, "node $PWD/src/main.js"),
    "node-test": (
        {
            "src/cart.js": "exports.total = (prices) => prices.length;\n",
            "src/cart.test.js": """const test = require("node:test");
const assert = require("node:assert");
const { total } = require("./cart");

test("adds", () => {
  assert.strictEqual(total([2]), 2);
});
""",
        },
        "node --test",
    ),
    "node-mocha": (
        {
            "src/cart.js": "exports.total = (prices) => prices.sum();\n",
            "test/cart.js": """const { total } = require("../src/cart");

it("adds", () => {
  total([1]);
});
""",
        },
        "mocha test",
    ),
    "node-tsc": (
        {
            "tsconfig.json": '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] }, "include": ["src"] }\n',
            "src/cart.ts": "export function total(prices: number[]): string {\n  return prices.length;\n}\n",
        },
        "tsc -p .",
    ),
    "node-tsc-pretty": (
        {
            "tsconfig.json": '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] }, "include": ["src"] }\n',
            "src/cart.ts": "export function total(prices: number[]): string {\n  return prices.length;\n}\n",
        },
        "tsc -p . --pretty",
    ),
    "go-compile": (
        {
            "go.mod": GO_MOD,
            "main.go": 'package main\n\nimport "example.org/shop/cart"\n\nfunc main() {\n\tprintln(cart.Total([]int{1}))\n}\n',
            "cart/cart.go": "package cart\n\nfunc Total(prices []int) int {\n\tunused := 1\n\treturn price\n}\n",
        },
        "go build ./...",
    ),
    "go-panic": (
        {
            "go.mod": GO_MOD,
            "main.go": 'package main\n\nimport "example.org/shop/cart"\n\nfunc main() {\n\tprintln(cart.Total([]int{1}))\n}\n',
            "cart/cart.go": CART_GO,
        },
        "go run .",
    ),
    "go-nil": (
        {
            "go.mod": GO_MOD,
            "main.go": "package main\n\ntype Cart struct{ n int }\n\nfunc main() {\n\tvar c *Cart\n\tprintln(c.n)\n}\n",
        },
        "go run main.go",
    ),
    "go-test": (
        {
            "go.mod": GO_MOD,
            "cart/cart.go": "package cart\n\nfunc Total(prices []int) int { return len(prices) }\n",
            "cart/cart_test.go": """package cart

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int{2}); got != 2 {
		t.Errorf("Total = %d, want 2", got)
	}
}
""",
        },
        "go test ./...",
    ),
    "go-test-panic": (
        {
            "go.mod": GO_MOD,
            "cart/cart.go": CART_GO,
            "cart/cart_test.go": 'package cart\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tTotal([]int{2})\n}\n',
        },
        "go test ./...",
    ),
    "go-vet": (
        {"go.mod": GO_MOD, "main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "a")\n}\n'},
        "go vet ./...",
    ),
    "go-deadlock": (
        {"go.mod": GO_MOD, "main.go": "package main\n\nfunc main() {\n\tc := make(chan int)\n\t<-c\n}\n"},
        "go run .",
    ),
    "java-compile": (
        {"src/main/java/shop/Total.java": "package shop;\n\nclass Total {\n    int of(String price) {\n        return price;\n    }\n}\n"},
        "javac -d out $PWD/src/main/java/shop/Total.java",
    ),
    "java-cause": (JAVA, JAVA_RUN),
    "java-overflow": (
        JAVA
        | {
            "src/main/java/shop/Main.java": """package shop;

public class Main {
    public static void main(String[] args) {
        Total.deep(0);
    }
}
"""
        },
        JAVA_RUN.replace("java -cp", "java -XX:MaxJavaStackTraceDepth=40 -cp"),
    ),
    "java-assert": (
        {"src/main/java/shop/Main.java": "package shop;\n\npublic class Main {\n    public static void main(String[] args) {\n        assert 1 + 1 == 3 : \"no tax\";\n    }\n}\n"},
        "mkdir out && javac -d out src/main/java/shop/Main.java && java -ea -cp out shop.Main",
    ),
    "java-thread": (
        {
            "src/main/java/shop/Main.java": """package shop;

import java.util.concurrent.*;

public class Main {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            pool.submit(() -> Integer.parseInt("x1")).get();
        } finally {
            pool.shutdown();
        }
    }
}
"""
        },
        "mkdir out && javac -d out src/main/java/shop/Main.java && java -cp out shop.Main",
    ),
    "java-launcher": (
        {"src/Main.java": "class Main {\n    public static void main(String[] args) {\n        throw new ArrayIndexOutOfBoundsException(3);\n    }\n}\n"},
        "java $PWD/src/Main.java",
    ),
    "cpp-compile": (
        {
            "src/total.h": "#pragma once\n\nint total(price p);\n",
            "src/total.cpp": '#include "total.h"\n\nint total(int p) {\n    return p;\n}\n',
        },
        "g++ -c -o total.o $PWD/src/total.cpp",
    ),
    "cpp-template": (
        {"src/total.cpp": "#include <algorithm>\n#include <list>\n\nvoid f(std::list<int>& prices) {\n    std::sort(prices.begin(), prices.end());\n}\n"},
        "g++ -c -o total.o src/total.cpp",
    ),
    "cpp-missing": ({"src/total.cpp": '#include "price.h"\n'}, "g++ -c -o total.o src/total.cpp"),
    "cpp-link": (
        {"src/total.cpp": "int total(int);\n\nint main() {\n    return total(1);\n}\n"},
        "g++ -g -o shop $PWD/src/total.cpp",
    ),
    "cpp-assert": (
        {"src/total.cpp": "#include <cassert>\n\nint main(int n, char**) {\n    assert(n > 1);\n}\n"},
        "g++ -g -o shop $PWD/src/total.cpp && ./shop",
    ),
    "cpp-terminate": (
        {"src/total.cpp": '#include <stdexcept>\n\nint main() {\n    throw std::runtime_error("no tax for xx");\n}\n'},
        "g++ -g -o shop src/total.cpp && ./shop",
    ),
    "cpp-sanitizer": (
        {"src/total.cpp": "int main(int n, char**) {\n    int* prices = new int[1];\n    return prices[n + 1];\n}\n"},
        "g++ -g -fsanitize=address -o shop $PWD/src/total.cpp && ./shop",
    ),
    "c-warnings": (
        {
            "src/total.c": "#include <stdio.h>\n\nint main(void) {\n    int unused = 1;\n    printf(\"%s\\n\", 1);\n    return total;\n}\n",
        },
        "gcc -Wall -c -o total.o src/total.c",
    ),
    "make": (
        {
            "Makefile": "shop: src/total.c\n\tgcc -c -o total.o src/total.c\n",
            "src/total.c": "int main(void) {\n    return 1\n}\n",
        },
        "make",
    ),
}


def capture(name, files, command):
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        tree = pathlib.Path(folder).resolve() / "tree"
        for path, text in files.items():
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        own = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        for kept in ("RUSTUP_HOME", "CARGO_HOME", "GOFLAGS"):
            if kept in os.environ:
                own[kept] = os.environ[kept]
        own |= {"GOCACHE": f"{folder}/go", "GOTOOLCHAIN": "local", "PYTHONDONTWRITEBYTECODE": "1"}
        own |= {"CARGO_TARGET_DIR": f"{folder}/target"}
        done = subprocess.run(
            ["sh", "-c", command], cwd=tree, env=own, stdin=subprocess.DEVNULL, capture_output=True, timeout=300
        )
        if done.returncode == 0:
            sys.exit(f"{name}: it did not fail")
        said = (done.stderr + done.stdout).decode(errors="replace")
        said = said.replace(str(tree), "{tree}").replace(folder, "{run}")
        for prefix, shown in ((sys.prefix, "/usr"), (goroot(), "/usr/local/go"), (os.environ["HOME"], "/home/ana")):
            said = said.replace(prefix, shown) if prefix else said
        (HERE / f"{name}.txt").write_text(f"files: {' '.join(sorted(files))}\n\n{said}")


def goroot():
    return subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True).stdout.strip() if shutil.which("go") else ""


def main():
    for name, (files, command) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        words = command.replace("(", " ").split()
        known = ("python3", "mypy", "rustc", "cargo", "node", "mocha", "tsc", "go", "javac", "java", "g++", "gcc", "make")
        missing = [it for it in words if it in known and shutil.which(it) is None]
        if missing:
            print(f"{name}: {missing[0]} is not on PATH", file=sys.stderr)
            continue
        capture(name, files, command)


main()
