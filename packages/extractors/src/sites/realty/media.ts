import { isObject } from '@gleaner/contracts/values';
import { arrayAt, asText, at, filledAt, numberAt, textAt, type JsonObject } from '../read/value.ts';

const PHOTO_LISTS = [
  'originalPhotos',
  'responsivePhotos',
  'responsivePhotosOriginalRatio',
  'hugePhotos',
  'photos',
  'galleryPhotos',
];

/** The widest address of each photo, in page order. Only the home's own lists are read. */
export function readPhotos(property: JsonObject): string[] {
  for (const name of PHOTO_LISTS) {
    const photos = arrayAt(property, name).flatMap((photo) => widest(photo) ?? []);
    if (photos.length > 0) return [...new Set(photos)];
  }
  const single = filledAt(property, 'hiResImageLink', 'desktopWebHdpImageLink');
  return single === null ? [] : [single];
}

function widest(photo: unknown): string | null {
  for (const format of ['jpeg', 'webp']) {
    const sources = arrayAt(photo, `mixedSources.${format}`)
      .filter((source) => filledAt(source, 'url') !== null)
      .toSorted((a, b) => (numberAt(b, 'width') ?? 0) - (numberAt(a, 'width') ?? 0));
    if (sources.length > 0) return filledAt(sources[0], 'url');
  }
  return filledAt(photo, 'url');
}

const FACT_LISTS = [
  'appliances',
  'interiorFeatures',
  'exteriorFeatures',
  'lotFeatures',
  'parkingFeatures',
  'heating',
  'cooling',
  'flooring',
  'fireplaceFeatures',
  'laundryFeatures',
  'patioAndPorchFeatures',
  'poolFeatures',
  'securityFeatures',
  'communityFeatures',
  'associationAmenities',
  'windowFeatures',
  'view',
  'utilities',
  'sewer',
  'waterSource',
  'constructionMaterials',
  'foundationDetails',
];

/** The features in the data, without `None` and repetitions. */
export function readFeatures(property: JsonObject, fromPage: readonly string[]): string[] {
  const facts = property['resoFacts'];
  const listed = FACT_LISTS.flatMap((name) => arrayAt(facts, name).map(asText));
  const single = [textAt(facts, 'roofType'), textAt(facts, 'basement')];
  const glance = arrayAt(facts, 'atAGlanceFacts').map((fact) => {
    const value = filledAt(fact, 'factValue');
    return value === null ? null : `${textAt(fact, 'factLabel') ?? ''}: ${value}`;
  });
  const insights = arrayAt(property, 'homeInsights').flatMap((group) =>
    arrayAt(group, 'insights').flatMap((insight) => arrayAt(insight, 'phrases').map(asText)),
  );
  return distinct([...listed, ...single, ...glance, ...insights, ...fromPage]);
}

export function distinct(values: readonly (string | null)[]): string[] {
  return [
    ...new Set(values.flatMap((value) => value?.trim() || []).filter((value) => !/^none$/i.test(value))),
  ];
}

/** The amenities of a rental building, from all groups. */
export function readAmenities(building: JsonObject): string[] {
  const groups = [building['amenityDetails'], at(building, 'buildingAttributes')].filter(isObject);
  return distinct(
    groups.flatMap((group) =>
      Object.values(group).flatMap((value) => (Array.isArray(value) ? value.map(asText) : [])),
    ),
  );
}
