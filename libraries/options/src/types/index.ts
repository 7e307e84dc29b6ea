export { byteSize, byteSizeBetween } from "./byte-size.ts";
export { duration, durationOrSeconds, durationOrZero } from "./duration.ts";
export { certificateFile, privateKeyFile } from "./file-content.ts";
export { key32 } from "./key-types.ts";
export { listOf } from "./list.ts";
export { scalar } from "./option-type.ts";
export { address, boolean, integer, listenPort, matching, network, oneOf, port, ratio, text } from "./plain-types.ts";
export { type Fields, type MappingOf, mapping, type StructuresOf, structures } from "./structure.ts";
export { origin, url } from "./url-types.ts";
