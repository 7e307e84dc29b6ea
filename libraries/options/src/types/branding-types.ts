import {
  type HexColour,
  isHexColour,
  type Logo,
  logoTypeOf,
  maxLogoBytes,
  minContrast,
  readableAccent,
  textContrast,
} from "@appserver/contracts/branding";
import type { OptionType } from "./option-type.ts";

const logoExpected = `the path of a readable SVG, PNG or WebP file of at most ${maxLogoBytes / 1_024} KiB`;

/** A picture, given by the path of its file. Read with the configuration, so that `config check` finds errors. */
export const logoFile: OptionType<Logo> = {
  expected: logoExpected,
  read: (path, readFile) => {
    try {
      const bytes = readFile(path);
      if (bytes.length > maxLogoBytes) return { expected: `${logoExpected}; the file has ${bytes.length} bytes` };
      const type = logoTypeOf(bytes);
      return type === undefined ? { expected: `${logoExpected}; the file is none of these` } : { value: { type, bytes } };
    } catch (error) {
      return { expected: `${logoExpected} (${error instanceof Error ? error.message : String(error)})` };
    }
  },
};

const accentExpected = `a colour such as #0b7285 on which white text has a contrast of at least ${minContrast}`;

/** A colour on which white text is readable. The message of another one proposes a darker shade. */
export const accentColour: OptionType<HexColour> = {
  expected: accentExpected,
  read: (given) => {
    const colour = given.toLowerCase();
    if (!isHexColour(colour)) return { expected: accentExpected };
    const contrast = textContrast(colour);
    if (contrast >= minContrast) return { value: colour };
    const shade = readableAccent(colour);
    return { expected: `${accentExpected}; its contrast is ${contrast.toFixed(1)}, that of its shade ${shade} is enough` };
  },
};
