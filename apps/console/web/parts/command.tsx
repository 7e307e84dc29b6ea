import { ActionIcon, Code, CopyButton } from "@mantine/core";
import type { ReactNode } from "react";
import { i18n } from "../i18n.ts";
import { CopiedIcon, CopyIcon } from "./icons.tsx";

/** A command within a text, with a button that copies it. */
export function Command({ children }: { readonly children?: ReactNode }) {
  const command = textIn(children);
  return (
    <span className="command">
      <Code>{command}</Code>
      <CopyButton value={command}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={copied ? i18n.t("Copied: {command}", { command }) : i18n.t("Copy {command}", { command })}
            onClick={copy}
          >
            {copied ? <CopiedIcon /> : <CopyIcon />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  );
}

/** A translated text arrives in pieces. */
function textIn(children: ReactNode): string {
  if (Array.isArray(children)) return children.map(textIn).join("");
  return typeof children === "string" || typeof children === "number" ? String(children) : "";
}
