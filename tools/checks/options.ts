// Every option of libraries/options is read by some process, and only its section has its default.
import { optionProblems, readerExceptions } from "../architecture/option-readers.ts";
import { finish, root } from "./run-tool.ts";

const problems = optionProblems(root, ["apps/server/src/main.ts"], readerExceptions);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${problems.length} problems\n`);
finish(problems.length === 0);
