import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, countAt, first, objectAt, textAt, type JsonObject } from '../read/value.ts';
import { objectsOf, objectUnder } from '../read/walk.ts';
import { labelOf, readBareCount, readForeignCount, shownAt } from './text.ts';

/** Likes: exact in the microformat since 2025, before that in the button's spoken label. Null when disabled. */
export function readLikes(micro: unknown, initial: unknown): number | null {
  const exact = countAt(micro, 'likeCount');
  if (exact !== null) return exact;
  const contents = at(initial, 'contents');
  return first(viewModelLikes(contents), entityLikes(initial), buttonLikes(contents), factoidLikes(initial));
}

/** `like this video along with 3,895 other people`. Without a number, there are no likes or they are hidden. */
function viewModelLikes(contents: unknown): number | null {
  const button = objectUnder(contents, 'likeButtonViewModel');
  const spoken = textAt(objectUnder(button, 'defaultButtonViewModel'), 'buttonViewModel.accessibilityText');
  return readForeignCount(spoken);
}

function entityLikes(initial: unknown): number | null {
  const entity = objectUnder(at(initial, 'frameworkUpdates'), 'likeCountEntity');
  return readBareCount(shownAt(entity, 'expandedLikeCountIfIndifferent'));
}

/** 2022 and 2023: the segmented button; before: the toggle button with the LIKE icon. */
function buttonLikes(contents: unknown): number | null {
  const segmented = objectAt(objectUnder(contents, 'segmentedLikeDislikeButtonRenderer'), 'likeButton');
  const button = objectAt(segmented, 'toggleButtonRenderer') ?? likeToggle(contents);
  const spoken = first(
    labelOf(at(button, 'defaultText')),
    textAt(button, 'accessibilityData.accessibilityData.label', 'accessibility.label'),
  );
  return readForeignCount(spoken);
}

function likeToggle(contents: unknown): JsonObject | undefined {
  for (const node of objectsOf(contents)) {
    const toggle = node['toggleButtonRenderer'];
    if (isObject(toggle) && at(toggle, 'defaultIcon.iconType') === 'LIKE') return toggle;
  }
  return undefined;
}

/** Rounded, in the description panel. */
function factoidLikes(initial: unknown): number | null {
  for (const node of objectsOf(at(initial, 'engagementPanels'))) {
    const factoid = node['factoidRenderer'];
    if (isObject(factoid) && /^likes?$/i.test(shownAt(factoid, 'label')?.trim() ?? '')) {
      return readBareCount(shownAt(factoid, 'value'));
    }
  }
  return null;
}

const COMMENT_PANELS = new Set(['engagement-panel-comments-section', 'comment-item-section']);

/** Comments: exact below 1000, rounded above; null when disabled. */
export function readComments(initial: unknown): number | null {
  for (const entry of arrayAt(initial, 'engagementPanels')) {
    const panel = at(entry, 'engagementPanelSectionListRenderer');
    const names = [textAt(panel, 'panelIdentifier'), textAt(panel, 'targetId')];
    if (!names.some((name) => COMMENT_PANELS.has(name ?? ''))) continue;
    const text = shownAt(panel, 'header.engagementPanelTitleHeaderRenderer.contextualInfo');
    const count = readBareCount(text);
    if (count !== null) return count;
  }
  const header = objectUnder(at(initial, 'contents'), 'commentsEntryPointHeaderRenderer');
  return readBareCount(shownAt(header, 'commentCount'));
}
