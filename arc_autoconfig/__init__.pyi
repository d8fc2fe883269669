from arc_autoconfig.application import Application as Application
from arc_autoconfig.container.container import ArcContainer as ArcContainer
from arc_autoconfig.declare.registration import provides as provides
from arc_autoconfig.explain.report import ConditionReport as ConditionReport
from arc_autoconfig.runs.agent_application import AgentHandle as AgentHandle
from arc_autoconfig.runs.agent_application import RunStream as RunStream
from arc_autoconfig.runs.blocking import BlockingApplication as BlockingApplication
from arc_autoconfig.runs.blocking import BlockingRunStream as BlockingRunStream
from arc_autoconfig.runs.options import RunOptions as RunOptions
from arc_autoconfig.settings import ArcSettings as ArcSettings
from arc_core.conditions import on_component as on_component
from arc_core.conditions import on_env as on_env
from arc_core.conditions import on_missing as on_missing
from arc_core.conditions import on_package as on_package
from arc_core.conditions import on_profile as on_profile
from arc_core.conditions import on_setting as on_setting
from arc_core.conditions import on_winner as on_winner

__all__ = [
    "AgentHandle",
    "Application",
    "ArcContainer",
    "ArcSettings",
    "BlockingApplication",
    "BlockingRunStream",
    "ConditionReport",
    "RunOptions",
    "RunStream",
    "on_component",
    "on_env",
    "on_missing",
    "on_package",
    "on_profile",
    "on_setting",
    "on_winner",
    "provides",
]
