import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';

/** How often a page whose code can't be loaded asks whether the service is back. */
const ASK_MS = 2_000;
const ANSWER_WITHIN_MS = 5_000;

/** Resolves as soon as the service answers. */
async function untilAnswered(): Promise<void> {
  for (;;) {
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const { ok } = await fetch('/healthz', { cache: 'no-store', signal });
      if (ok) return;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}

/**
 * A component in a module that is loaded when it is shown. While the service is away the page waits for it: the router would load
 * the address again, which ends on the error page of the browser. That is right only after an update of the service, when
 * the files have other names.
 */
export function lazy<Name extends string>(
  read: () => Promise<{ [K in NoInfer<Name>]: RouteComponent }>,
  name: Name,
): RouteComponent {
  const readPatiently = async (): ReturnType<typeof read> => {
    try {
      return await read();
    } catch {
      await untilAnswered();
      return read();
    }
  };
  return lazyRouteComponent(readPatiently, name) as RouteComponent;
}
