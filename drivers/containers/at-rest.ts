import type { ContainerView } from "@appserver/kernel/ports";

/** Returns the view without the instances, which change by themselves after a start. */
export function atRest({ instances: _, ...view }: ContainerView): Omit<ContainerView, "instances"> {
  return view;
}
