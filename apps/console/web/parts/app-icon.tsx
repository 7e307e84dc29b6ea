import { type CSSProperties, useEffect, useState } from "react";
import { hueOf } from "./hue.ts";
import { iconSource } from "./icon-source.ts";

interface AppIconProps {
  /** As in the manifest. Without one, or if it cannot be shown, the first letter of the title stands for it. */
  readonly icon: string | null | undefined;
  readonly title: string;
  readonly large?: boolean;
}

/** The icon of an app or of one of its pages. */
export function AppIcon({ icon, title, large = false }: AppIconProps) {
  const source = icon ? iconSource(icon) : undefined;
  const isBroken = useIsBroken(source?.url);
  const className = large ? "app-icon app-icon-large" : "app-icon";
  if (!source || isBroken)
    return (
      <span className={`${className} app-letter`} data-hue={hueOf(title)} aria-hidden="true">
        {[...title.trim()][0]?.toUpperCase() ?? "?"}
      </span>
    );
  if (!source.isMask) return <img className={className} src={source.url} alt="" />;
  const style = { "--icon": `url("${source.url}")` } as CSSProperties;
  return <span className={`${className} app-icon-mask`} style={style} aria-hidden="true" />;
}

/** A mask does not say whether its image could be loaded. */
function useIsBroken(url: string | undefined): boolean {
  const [broken, setBroken] = useState<string>();
  useEffect(() => {
    if (url === undefined) return;
    const probe = new Image();
    probe.onerror = () => setBroken(url);
    probe.src = url;
    return () => {
      probe.onerror = null;
    };
  }, [url]);
  return url !== undefined && broken === url;
}
