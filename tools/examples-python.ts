// `npm run examples:python [-- <folder>]`: installs what the sample app in Python, or the app in a folder, needs, where `npm start` finds it.
import { join, relative } from "node:path";
import { installPackages, missingPackages, packagesFolder } from "../examples/python-packages.ts";

const [folder] = process.argv.slice(2);
const requirements = folder === undefined ? undefined : join(folder, "requirements.txt");
const failure = installPackages(requirements) ?? (folder === undefined ? await missingPackages() : undefined);
if (failure === undefined) process.stdout.write(`installed into ${relative(process.cwd(), packagesFolder(requirements))}\n`);
else {
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}
