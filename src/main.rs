//! Shim: hands the arguments and the environment to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    afterword::main(std::env::args_os().skip(1).collect())
}
