export { PDF_EXITS, PDF_LIMITS, type PdfLimits, type PdfReading } from './pdf-facts.ts';
