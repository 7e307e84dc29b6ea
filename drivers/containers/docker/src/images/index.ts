export type { TarEntry } from "@appserver/contracts/folder-images";
export { bundleApp } from "./bundle-app.ts";
export { filesBelow } from "./files-below.ts";
export { buildImage, pushImage } from "./image-builder.ts";
export { type AppImage, type AppImageOptions, makeAppImage } from "./make-app-image.ts";
export { ensureNodeBase } from "./node-base.ts";
export { ensurePythonBase, extensionModules, readPython } from "./python-base.ts";
export { sharedLibraries } from "./shared-libraries.ts";
