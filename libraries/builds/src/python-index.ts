import { createHash } from "node:crypto";
import type { PythonProject, Wheel } from "./wheel.ts";

/** Returns the pages of an index with one wheel (PEP 503), by path. The wheel is next to the first one. */
export function pythonIndex({ name, requiresPython }: PythonProject, { file, bytes }: Wheel): Readonly<Record<string, string>> {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const python = requiresPython.replaceAll(">", "&gt;").replaceAll("<", "&lt;");
  return {
    "index.html": page("Packages for apps in Python", `<a href="${name}/">${name}</a>`),
    [`${name}/index.html`]: page(name, `<a href="../${file}#sha256=${hash}" data-requires-python="${python}">${file}</a>`),
  };
}

function page(title: string, link: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="pypi:repository-version" content="1.0">
<title>${title}</title>
</head>
<body>
${link}
</body>
</html>
`;
}
