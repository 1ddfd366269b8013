import { concurrencyLimit } from '@headgate/hono';

/** Responds with the error for the options in the query. */
export default {
  fetch(request: Request): Response {
    const { searchParams } = new URL(request.url);
    try {
      concurrencyLimit(JSON.parse(searchParams.get('options') ?? '{}'));
      return Response.json({});
    } catch (error) {
      const { code, option, message } = error as { code: string; option: string; message: string };
      return Response.json({ code, option, message });
    }
  },
};
