export {
  folderAnnotation,
  folderImageLimits,
  folderImageTypes,
  folderInLayer,
  folderLayerOf,
  type ImageManifest,
  imageKindHeader,
  isLeftOutOfImages,
  type LayerDescriptor,
} from "./folder-image.ts";
export { type ArchiveEntry, ArchiveError, type ArchiveLimits, readTar } from "./read-tar.ts";
export { type TarEntry, tar } from "./tar.ts";
