// `npm run examples:python`: installs what the sample app in Python needs, where `npm start` finds it.
import { relative } from "node:path";
import { installPackages, missingPackages, packagesFolder } from "../examples/python-packages.ts";

const failure = installPackages() ?? (await missingPackages());
if (failure === undefined) process.stdout.write(`installed into ${relative(process.cwd(), packagesFolder())}\n`);
else {
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}
