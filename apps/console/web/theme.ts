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
    MultiSelect: scrollingList,
    Select: scrollingList,
    Table: { defaultProps: { verticalSpacing: 6 } },
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
});

/** Secondary texts have a contrast of at least 4.5 on every background of the console. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--page": "#f6f7f9",
    "--mantine-color-dimmed": "#495057",
    "--mantine-color-default-border": "#dfe3e8",
    "--mantine-color-placeholder": "#5c636a",
    "--mantine-color-error": "#c92a2a",
  },
  dark: {
    "--page": "#17191c",
    "--mantine-color-body": "#1e2024",
    "--mantine-color-dimmed": "#b8bcc1",
    "--mantine-color-default-border": "#34383e",
    "--mantine-color-placeholder": "#a6a9ae",
    "--mantine-color-error": "#ff8787",
  },
});
