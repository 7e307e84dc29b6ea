/** How an icon of a manifest is shown. */
export interface IconSource {
  readonly url: string;
  /** Whether the picture takes the colour of the text. */
  readonly isMask: boolean;
}

/** A colour of its own: a name, a number or a function that is not among the words that leave the colour open. */
const ownColour =
  /(?:fill|stroke|stop-color|flood-color|[^-]color)\s*[=:]\s*["']?\s*(?!none|currentcolor|inherit|transparent|context-|url\()[a-z#]/i;
const picture = /<(?:image|foreignObject)[\s>]/i;

/**
 * Returns how to show an icon: SVG text, a `data:` URI or a path. Never as markup: an image runs no script and loads nothing. SVG text
 * without colours of its own takes the colour of the text, in both themes.
 */
export function iconSource(icon: string): IconSource {
  if (/^\s*</.test(icon))
    return {
      url: `data:image/svg+xml,${encodeURIComponent(icon)}`,
      isMask: !ownColour.test(icon) && !picture.test(icon),
    };
  return { url: icon, isMask: false };
}
