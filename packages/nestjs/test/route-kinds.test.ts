import { ConcurrencyLimit } from '@headgate/nestjs';
import { counts } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import { Controller, Get, Post, type Type, Version, VersioningType } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';

/** A decorator of an application: it replaces the handler by a function with a name of its own. */
const wrapped: MethodDecorator = (_target, _name, descriptor) => {
  const { value: handler } = descriptor as { value?: unknown };
  const value = function (this: unknown, ...args: unknown[]) {
    return (handler as (...args: unknown[]) => unknown).apply(this, args);
  };
  return { ...descriptor, value: value as never };
};

/** Makes controllers of one name. */
function resource(path: string): Type {
  @Controller(path)
  class Resource {
    @Get()
    list() {
      return 'ok';
    }
  }
  return Resource;
}

abstract class Base {
  @Get()
  list() {
    return 'ok';
  }
}

function inheriting(path: string): Type {
  @Controller(path)
  class Inheriting extends Base {}
  return Inheriting;
}

describe.each(['Express', 'Fastify'] as const)(
  'the kinds of routes in NestJS on %s',
  (platform) => {
    /** The kinds of requests to these controllers. */
    async function kindsOf(controllers: Type[], requests: string[], versioned = false) {
      const { samples, limit } = recordingLimit();
      const limited = ConcurrencyLimit({ limit });
      for (const controller of controllers) limited(controller);
      const app = await App.start(platform, { controllers }, (nest) => {
        nest.setGlobalPrefix('api');
        if (versioned) nest.enableVersioning({ type: VersioningType.HEADER, header: 'version' });
      });
      for (const request of requests) {
        const [method, path, version = '1'] = request.split(' ') as [string, string, string?];
        const { status } = await app.call(path, { method, headers: { version } }).answer();
        expect([request, Math.floor(status / 100)]).toEqual([request, 2]);
        await counts(limited, 0);
      }
      return samples.map(({ kind }) => kind);
    }

    it('differ for controllers of the same name', async () => {
      const controllers = [resource('a'), resource(':tenant/b')];
      const requests = ['GET /api/a', 'GET /api/acme/b', 'GET /api/globex/b'];
      const [a, b, again] = await kindsOf(controllers, requests);
      expect(a).toContain('Resource.list GET /');
      expect([again, b === a]).toEqual([b, false]);
    });

    it('differ for controllers that inherit a handler', async () => {
      const controllers = [inheriting('a'), inheriting('b')];
      const kinds = await kindsOf(controllers, ['GET /api/a', 'GET /api/b']);
      expect(new Set(kinds).size).toBe(2);
    });

    it('differ for the handlers of a controller that a decorator has replaced', async () => {
      @Controller('a')
      class Wrapped {
        @Get()
        @wrapped
        list() {
          return 'ok';
        }

        @Get(':id')
        @wrapped
        one() {
          return 'ok';
        }

        @Post()
        @wrapped
        create() {
          return 'ok';
        }
      }
      const requests = ['GET /api/a', 'GET /api/a/1', 'GET /api/a/2', 'POST /api/a'];
      const [list, one, again, create] = await kindsOf([Wrapped], requests);
      expect(new Set([list, one, create]).size).toBe(3);
      expect(again).toBe(one);
    });

    it('differ for two versions of a route', async () => {
      @Controller('a')
      class Versioned {
        @Get()
        @Version('1')
        first() {
          return 'ok';
        }

        @Get()
        @Version('2')
        second() {
          return 'ok';
        }
      }
      const kinds = await kindsOf([Versioned], ['GET /api/a 1', 'GET /api/a 2'], true);
      expect(new Set(kinds).size).toBe(2);
    });
  },
);
