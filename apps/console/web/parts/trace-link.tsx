import { Code } from "@mantine/core";
import type { ReactNode } from "react";
import { useViewer } from "../api/viewer.ts";
import { PageLink } from "./page-link.tsx";

interface TraceLinkProps {
  /** A request id or a trace id. */
  readonly id: string;
  /** Default: the id. */
  readonly children?: ReactNode;
  /** For links that read the same. */
  readonly label?: string;
}

/** Leads to everything that one request caused. Users who may not see traces get the id as a text, or nothing in place of a text. */
export function TraceLink({ id, children, label }: TraceLinkProps) {
  const { permissions } = useViewer();
  if (!permissions.includes("trace:view")) return children === undefined ? <Code>{id}</Code> : null;
  return (
    <PageLink
      to="/console/trace/$id"
      params={{ id }}
      size="sm"
      underline="always"
      {...(label !== undefined && { "aria-label": label })}
    >
      {children ?? id}
    </PageLink>
  );
}
