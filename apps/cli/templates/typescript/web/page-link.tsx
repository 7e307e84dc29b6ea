import type { PageContext } from "@appserver/sdk/page";
import type { MouseEvent, ReactNode } from "react";

/** A link to another view of the page: without a load of the document, and with an address that can be opened in a tab. */
export function PageLink({
  page,
  to,
  className,
  children,
}: {
  readonly page: PageContext;
  readonly to: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    page.navigate(to);
  };
  return (
    <a href={page.basePath + to} onClick={follow} {...(className !== undefined && { className })}>
      {children}
    </a>
  );
}
