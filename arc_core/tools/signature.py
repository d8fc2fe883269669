"""From a function's signature and docstring to the JSON Schema of its arguments."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, NotRequired, cast, get_args, get_type_hints

import docstring_parser
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from arc_core.components.injection import is_injected
from arc_core.errors import ToolArgumentsError, ToolDefinitionError
from arc_core.interfaces.tools.tool import ToolContext

_MAX_COUNTED_PROBLEMS = 200
_MAX_PROBLEMS = 10
_MAX_PLACE_CHARS = 100
_MAX_PROBLEM_CHARS = 500
_VARIADIC = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
)


class _UntitledJsonSchema(GenerateJsonSchema):
    """Leaves titles out: they repeat the names and cost tokens in every request."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@dataclass(frozen=True)
class ToolSignature:
    """The parameters of a function as a model is told them, and those that Arc fills."""

    description: str
    context_parameter: str | None
    parameters: Mapping[str, Any]
    adapter: TypeAdapter[dict[str, Any]]
    injected: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "ToolSignature":
        """Read a function; refuses one whose arguments have no JSON Schema."""
        return _Reader(function).read()

    def parse(self, text: str) -> dict[str, Any]:
        """Keyword arguments from the model's JSON, if any; refused with a sentence per field."""
        try:
            return self.adapter.validate_json(text if text.strip() else "{}")
        except ValidationError as error:
            raise ToolArgumentsError(_problems(error)) from error


def _problems(error: ValidationError) -> list[str]:
    """A sentence per field, at most ten. Pydantic makes all or none: none if too many."""
    count = error.error_count()
    if count > _MAX_COUNTED_PROBLEMS:
        return [f"arguments: {count} fields do not fit the schema"]
    found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = [
        f"{'.'.join(map(str, problem['loc']))[:_MAX_PLACE_CHARS] or 'arguments'}: "
        f"{problem['msg'][:_MAX_PROBLEM_CHARS]}"
        for problem in found[:_MAX_PROBLEMS]
    ]
    if count > _MAX_PROBLEMS:
        problems.append(f"and {count - _MAX_PROBLEMS} more")
    return problems


class _Reader:
    """Reads one function; the errors name it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.docstring = docstring_parser.parse(inspect.getdoc(function) or "")

    def read(self) -> ToolSignature:
        self._check()
        context_parameter, injected = self._context_parameter(), self._injected_parameters()
        shown = {
            name: parameter
            for name, parameter in inspect.signature(self.function).parameters.items()
            if name not in {"self", context_parameter, *injected}
        }
        adapter, schema = self._adapter({name: self._field(shown[name]) for name in shown})
        return ToolSignature(
            description=(self.docstring.description or "").strip(),
            context_parameter=context_parameter,
            parameters=schema,
            adapter=adapter,
            injected=injected,
        )

    def _check(self) -> None:
        function = inspect.unwrap(self.function)
        if not inspect.isfunction(function) and not inspect.ismethod(function):
            raise self._error(
                "it is neither a function nor a method", "Write a function that calls it."
            )
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise self._error(
                "it is a generator function, and a tool gives one value",
                "Return a list of what it yields.",
            )

    def _context_parameter(self) -> str | None:
        names = [name for name, hint in self.hints.items() if mentions(hint, ToolContext)]
        if len(names) > 1:
            raise self._error(f"{' and '.join(names)} are both a ToolContext", "Keep one of them.")
        return names[0] if names else None

    def _injected_parameters(self) -> dict[str, Any]:
        parameters = inspect.signature(self.function).parameters
        injected = {name: hint for name, hint in self.hints.items() if is_injected(hint)}
        for name in injected:
            if parameters[name].kind in _VARIADIC:
                raise self._error(
                    f"the parameter {parameters[name]} cannot be filled by its name",
                    "Give every parameter a name of its own.",
                )
        return injected

    @cached_property
    def hints(self) -> dict[str, Any]:
        try:
            hints = get_type_hints(self.function, include_extras=True)
        except NameError as error:
            raise self._error(
                f"the annotation {error.name!r} is not defined",
                "Import the type where the function is defined.",
            ) from error
        hints.pop("return", None)
        return hints

    def _field(self, parameter: inspect.Parameter) -> Any:
        if parameter.kind in _VARIADIC:
            raise self._error(
                f"the parameter {parameter} cannot be named in JSON",
                "Give every parameter a name of its own.",
            )
        hint = self.hints.get(parameter.name)
        if hint is None:
            raise self._error(
                f"the parameter {parameter.name!r} has no type annotation",
                f"Write its type, as in `{parameter.name}: str`.",
            )
        if isinstance(parameter.default, FieldInfo):
            raise self._error(
                f"the default of {parameter.name!r} is a Field, which the function would receive",
                f"Write `{parameter.name}: Annotated[<type>, Field(…)]`.",
            )
        annotation: Any = Annotated[hint, self._information(parameter)]
        return annotation if parameter.default is parameter.empty else NotRequired[annotation]

    def _information(self, parameter: inspect.Parameter) -> FieldInfo:
        described = {p.arg_name: p.description for p in self.docstring.params}
        extra = {} if parameter.default is parameter.empty else _read_default(parameter)
        metadata = getattr(self.hints[parameter.name], "__metadata__", ())
        own = next((m.description for m in metadata if isinstance(m, FieldInfo)), None)
        information: FieldInfo = Field(
            description=own or described.get(parameter.name), json_schema_extra=extra or None
        )
        return information

    def _adapter(
        self, fields: dict[str, Any]
    ) -> tuple[TypeAdapter[dict[str, Any]], dict[str, Any]]:
        """Return the validator of the arguments, and their JSON Schema."""
        arguments = cast(Any, TypedDict)("arguments", fields)
        arguments.__pydantic_config__ = ConfigDict(extra="forbid")
        try:
            adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(arguments)
            schema = adapter.json_schema(schema_generator=_UntitledJsonSchema)
        except PydanticUserError as error:
            raise self._error(
                "the type of a parameter has no JSON Schema",
                "Use types that JSON can carry: str, int, list, dict, enums, pydantic models.",
            ) from error
        for described in (schema, *schema.get("$defs", {}).values()):
            described.pop("title", None)
        return adapter, {"type": "object", "properties": {}, **schema}

    def _error(self, problem: str, remedy: str) -> ToolDefinitionError:
        place = getattr(self.function, "__qualname__", None)
        name = f"{self.function.__module__}.{place}" if place else repr(self.function)
        return ToolDefinitionError(tool=name, problem=problem, remedy=remedy)


def _read_default(parameter: inspect.Parameter) -> dict[str, Any]:
    try:
        default = to_jsonable_python(parameter.default)
        json.dumps(default, allow_nan=False)
    except ValueError:  # a default that JSON cannot carry is not shown
        return {}
    return {"default": default}


def mentions(annotation: object, wanted: type) -> bool:
    """Return whether an annotation is a type or has it inside, as `Inject[Lazy[…]]` has."""
    return annotation is wanted or any(mentions(part, wanted) for part in get_args(annotation))
