import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The list itself scrolls: assistive software knows that its arrow keys do that, and not those of a frame around it. */
const scrollingList = { defaultProps: { withScrollArea: false, classNames: { options: "options" } } };

/** What explains a field, and what is wrong in it, have the size of small text. Mantine makes them two pixels smaller. */
const field = {
  vars: () => ({
    description: { "--input-description-size": "var(--mantine-font-size-sm)" },
    error: { "--input-error-size": "var(--mantine-font-size-sm)" },
  }),
};

/** The shades of `transports/http/branding/tokens.css`. */
const accent = Array.from({ length: 10 }, (_, shade) => `var(--look-accent-${shade})`) as unknown as MantineColorsTuple;

export const theme = createTheme({
  colors: { accent },
  primaryColor: "accent",
  // White text on these shades has a contrast of at least 4.5.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  respectReducedMotion: true,
  cursorType: "pointer",
  defaultRadius: "md",
  // The scale of DESIGN.md.
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
      h4: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  components: {
    Autocomplete: scrollingList,
    InputWrapper: field,
    MultiSelect: scrollingList,
    Select: scrollingList,
    Table: { defaultProps: { verticalSpacing: 6 } },
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
});

/** The tokens that every page of the platform has. Secondary texts have a contrast of at least 4.5 on every background. */
const tokens = {
  "--mantine-color-text": "var(--look-text)",
  "--mantine-color-anchor": "var(--look-link)",
  "--mantine-color-body": "var(--look-card)",
  "--mantine-color-dimmed": "var(--look-dim)",
  "--mantine-color-default-border": "var(--look-line)",
  "--mantine-color-error": "var(--look-error)",
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...tokens, "--mantine-color-placeholder": "#5c636a" },
  dark: { ...tokens, "--mantine-color-placeholder": "#a6a9ae" },
});
