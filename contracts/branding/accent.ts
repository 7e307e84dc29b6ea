/** A colour as six hexadecimal digits after a number sign: `#3b5bdb`. */
export type HexColour = `#${string}`;

/** The least contrast of a text with its background (WCAG 2.2, 1.4.3). */
export const minContrast = 4.5;

const white: HexColour = "#ffffff";
const black: HexColour = "#000000";
/** The background of cards in the dark theme, as in `transports/http/branding/tokens.css`. */
const darkCard: HexColour = "#1e2024";

/** How much white each of the shades 0 to 7 has at least, and its contrast with dark cards if texts there have its colour. */
const tints: readonly { readonly white: number; readonly contrast?: number }[] = [
  { white: 0.92 },
  { white: 0.82 },
  { white: 0.66, contrast: 8 },
  { white: 0.52, contrast: 6.5 },
  { white: 0.38, contrast: 5 },
  { white: 0.26 },
  { white: 0.16 },
  { white: 0.08 },
];

/** Returns whether a text is a colour that can be an accent: `#` and six hexadecimal digits. */
export function isHexColour(text: string): text is HexColour {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: HexColour, other: HexColour): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the contrast of white text on an accent. */
export function textContrast(accent: HexColour): number {
  return contrastOf(accent, white);
}

/** Returns the accent, or the lightest shade of it on which white text is readable. */
export function readableAccent(accent: HexColour): HexColour {
  return mixedUntil(accent, black, 0, (colour) => textContrast(colour) >= minContrast);
}

/**
 * Returns ten shades of an accent on which white text is readable, from light to dark. The ninth is the accent itself. The shades 2 to 4
 * are readable on the cards of the dark theme.
 */
export function accentShades(accent: HexColour): readonly HexColour[] {
  const lighter = tints.map(({ white: share, contrast = 0 }) =>
    mixedUntil(accent, white, share, (colour) => contrastOf(colour, darkCard) >= contrast),
  );
  return [...lighter, accent, mixedUntil(accent, black, 0.12, (colour) => textContrast(colour) >= 6)];
}

/** Mixes two colours with a growing share of the second one. */
function mixedUntil(colour: HexColour, other: HexColour, share: number, isEnough: (mixed: HexColour) => boolean): HexColour {
  for (let part = share; part < 1; part += 0.02) {
    const mixed = mix(colour, other, part);
    if (isEnough(mixed)) return mixed;
  }
  return other;
}

function mix(one: HexColour, other: HexColour, share: number): HexColour {
  const ofOther = channelsOf(other);
  const channels = channelsOf(one).map((value, index) => Math.round(value * (1 - share) + (ofOther[index] ?? 0) * share));
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf(colour: HexColour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: HexColour): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
