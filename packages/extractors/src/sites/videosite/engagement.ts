import { arrayAt, asCount, asText, at, first, isObject, objectAt, type JsonObject } from '../read/value.ts';
import { objectsOf, objectUnder } from '../read/walk.ts';
import { labelOf, readBareCount, readForeignCount, textOf } from './text.ts';

/** Likes: exact in the microformat since 2025, before that in the button's spoken label. Null when disabled. */
export function readLikes(micro: unknown, initial: unknown): number | null {
  const exact = asCount(at(micro, 'likeCount'));
  if (exact !== null) return exact;
  const contents = at(initial, 'contents');
  return first(viewModelLikes(contents), entityLikes(initial), buttonLikes(contents), factoidLikes(initial));
}

/** `like this video along with 3,895 other people`. Without a number, there are no likes or they are hidden. */
function viewModelLikes(contents: unknown): number | null {
  const button = objectUnder(contents, 'likeButtonViewModel');
  const spoken = asText(
    at(objectUnder(button, 'defaultButtonViewModel'), 'buttonViewModel', 'accessibilityText'),
  );
  return spoken === null ? null : readForeignCount(spoken);
}

function entityLikes(initial: unknown): number | null {
  const entity = objectUnder(at(initial, 'frameworkUpdates'), 'likeCountEntity');
  const text = textOf(entity?.['expandedLikeCountIfIndifferent']);
  return text === null ? null : readBareCount(text);
}

/** 2022 and 2023: the segmented button; before: the toggle button with the LIKE icon. */
function buttonLikes(contents: unknown): number | null {
  const segmented = objectAt(objectUnder(contents, 'segmentedLikeDislikeButtonRenderer'), 'likeButton');
  const button = objectAt(segmented, 'toggleButtonRenderer') ?? likeToggle(contents);
  const spoken = first(
    labelOf(at(button, 'defaultText')),
    asText(at(button, 'accessibilityData', 'accessibilityData', 'label')),
    asText(at(button, 'accessibility', 'label')),
  );
  return spoken === null ? null : readForeignCount(spoken);
}

function likeToggle(contents: unknown): JsonObject | undefined {
  for (const node of objectsOf(contents)) {
    const toggle = node['toggleButtonRenderer'];
    if (isObject(toggle) && at(toggle, 'defaultIcon', 'iconType') === 'LIKE') return toggle;
  }
  return undefined;
}

/** Rounded, in the description panel. */
function factoidLikes(initial: unknown): number | null {
  for (const node of objectsOf(at(initial, 'engagementPanels'))) {
    const factoid = node['factoidRenderer'];
    if (isObject(factoid) && /^likes?$/i.test(textOf(factoid['label'])?.trim() ?? '')) {
      return readBareCount(textOf(factoid['value']) ?? '');
    }
  }
  return null;
}

const COMMENT_PANELS = new Set(['engagement-panel-comments-section', 'comment-item-section']);

/** Comments: exact below 1000, rounded above; null when disabled. */
export function readComments(initial: unknown): number | null {
  for (const entry of arrayAt(initial, 'engagementPanels')) {
    const panel = at(entry, 'engagementPanelSectionListRenderer');
    const isComments =
      COMMENT_PANELS.has(asText(at(panel, 'panelIdentifier')) ?? '') ||
      COMMENT_PANELS.has(asText(at(panel, 'targetId')) ?? '');
    if (!isComments) continue;
    const text = textOf(at(panel, 'header', 'engagementPanelTitleHeaderRenderer', 'contextualInfo'));
    const count = text === null ? null : readBareCount(text);
    if (count !== null) return count;
  }
  const header = objectUnder(at(initial, 'contents'), 'commentsEntryPointHeaderRenderer');
  const text = textOf(header?.['commentCount']);
  return text === null ? null : readBareCount(text);
}
