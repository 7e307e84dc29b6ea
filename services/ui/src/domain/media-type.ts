const wellFormed = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(\s*;\s*[a-z0-9!#$&^_.+-]+=("[^"\\\r\n]*"|[a-z0-9!#$&^_.+-]+))*$/i;
const text = /^(text\/|font\/(ttf|otf)$|image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)$)/;
const structured =
  /^application\/(javascript|ecmascript|json|manifest\+json|wasm|xml|xhtml\+xml|x-javascript|vnd\.ms-fontobject|.+\+(json|xml))$/;

/** Returns the type for the header. An invalid media type is served as bytes that no browser interprets. */
export function servedMediaType(declared: string): string {
  return wellFormed.test(declared) ? declared : "application/octet-stream";
}

/** Returns whether compression can reduce the size. Images, video and woff2 are already compressed. */
export function isCompressible(mediaType: string): boolean {
  const name = essence(mediaType);
  return text.test(name) || structured.test(name);
}

function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
