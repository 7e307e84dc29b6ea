import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** The list itself scrolls: assistive software knows that its arrow keys do that, and not those of a frame around it. */
const scrollingList = { defaultProps: { withScrollArea: false, classNames: { options: "options" } } };

export const theme = createTheme({
  primaryColor: "indigo",
  // White text on these shades has a contrast of at least 4.5.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  respectReducedMotion: true,
  cursorType: "pointer",
  defaultRadius: "md",
  components: { Autocomplete: scrollingList, MultiSelect: scrollingList, Select: scrollingList },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
});

/** Secondary texts have a contrast of at least 4.5 on every background of the console. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "#495057", "--mantine-color-placeholder": "#5c636a", "--mantine-color-error": "#c92a2a" },
  dark: { "--mantine-color-dimmed": "#b8bcc1", "--mantine-color-placeholder": "#a6a9ae", "--mantine-color-error": "#ff8787" },
});
