import type { ElementHandle, Frame, JSHandle } from 'playwright';
import { getDomain } from 'tldts';
import { writeDocument, type ComposedFrame } from './write-document.ts';

/** Frames of one page that are composed, and how deeply they may stand in each other. */
const MAX_FRAMES = 100;
const MAX_DEPTH = 5;

/** What all frames of one page share. */
interface Composing {
  site: string;
  composed: boolean;
  /** Characters that may still be added. */
  left: number;
  frames: number;
}

/** The scheme and registrable domain of an address; '' for one without a site. */
function siteOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return '';
  return `${parsed.protocol}//${getDomain(parsed.hostname, { allowPrivateDomains: true }) ?? parsed.hostname}`;
}

/** Runs in the frame. */
function originOf(): string {
  return self.origin;
}

/** Runs in the page. */
function isSandboxed(element: Element): boolean {
  return element.hasAttribute('sandbox');
}

/** Whether the frame's committed document is of the page's site. One that its server sandboxed has the origin `null`. */
async function isSameSite(frame: Frame, { site }: Composing): Promise<boolean> {
  const isInherited = /^about:(?:srcdoc|blank)$/.test(frame.url());
  if (!isInherited && siteOf(frame.url()) !== site) return false;
  const origin = await frame.evaluate(originOf);
  return isInherited ? siteOf(origin) === site : origin !== 'null';
}

interface FrameHandle extends Omit<ComposedFrame, 'element'> {
  element: ElementHandle;
}

async function composeFrame(
  frame: Frame,
  composing: Composing,
  depth: number,
): Promise<FrameHandle | undefined> {
  const element = await frame.frameElement();
  if (await element.evaluate(isSandboxed as (node: unknown) => boolean)) return undefined;
  if (!(await isSameSite(frame, composing))) return undefined;
  const html = await writeFrames(frame, composing, depth + 1);
  return html === null || html === '' ? undefined : { element, src: frame.url(), html };
}

/** The frames in a frame. One that goes away or moves on in the meantime is left out. */
async function composeChildren(frame: Frame, composing: Composing, depth: number): Promise<FrameHandle[]> {
  const composed: FrameHandle[] = [];
  if (!composing.composed || depth >= MAX_DEPTH) return composed;
  for (const child of frame.childFrames()) {
    composing.frames += 1;
    if (composing.frames > MAX_FRAMES) break;
    const made = await composeFrame(child, composing, depth).catch((error: unknown) => {
      if (frame.page().isClosed()) throw error;
      return undefined;
    });
    if (made !== undefined) composed.push(made);
  }
  return composed;
}

async function writeFrames(frame: Frame, composing: Composing, depth: number): Promise<string | null> {
  const frames = await composeChildren(frame, composing, depth);
  const html = await frame.evaluate(writeDocument as (options: unknown) => string | null, {
    maxLength: composing.left,
    composed: composing.composed,
    frames: frames as unknown as JSHandle[],
    isFrame: depth > 0,
  });
  if (depth > 0 && html !== null) composing.left -= html.length;
  return html;
}

/**
 * The page as a person sees it: its document with open shadow roots inside their hosts, and frames of its site as
 * `<gleaner-frame>` behind their elements. Sandboxed frames and those of other sites are left out.
 * @returns null when it is longer than `maxLength` characters
 */
export function writePage(
  frame: Frame,
  { maxLength, composed }: { maxLength: number; composed: boolean },
): Promise<string | null> {
  return writeFrames(frame, { site: siteOf(frame.url()), composed, left: maxLength, frames: 0 }, 0);
}
