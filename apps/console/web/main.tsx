import "./mantine.css";
import "./console.css";
import "uplot/dist/uPlot.min.css";
import { I18nProvider } from "@lingui/react";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { allowStyles } from "./features/hosting/trusted-types.ts";
import { i18n } from "./i18n.ts";
import { colorSchemeManager } from "./parts/color-scheme.ts";
import { applyDensity } from "./parts/density.ts";
import { router } from "./router.tsx";
import { watchScripts } from "./shell/missing-script.ts";
import { cssVariables, theme } from "./theme.ts";

/** The nonce of the page, without which the browser refuses the style elements of libraries. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

watchScripts();
applyDensity();
allowStyles();

const root = document.getElementById("console");
if (root) {
  createRoot(root).render(
    <I18nProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>,
  );
}
